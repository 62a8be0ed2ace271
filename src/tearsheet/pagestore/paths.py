"""Where things are in a page store: `base/yyyy/mm/dd/MD5/contents.html`, with or without padded months and days."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tearsheet.errors import UsageError
from tearsheet.pagestore.meta import is_md5

META = "META"
CONTENTS = "contents.html"
SIDECAR = "capture.json"
"""Beside the page: what is known about its capture. Old readers ignore it."""

_YEAR = re.compile(r"\d{4}")
_SHORT = re.compile(r"\d{1,2}")


def day_folder(base: Path, day: date) -> Path:
    """The folder of a day, as this program writes it: zero-padded."""
    return base / f"{day:%Y}" / f"{day:%m}" / f"{day:%d}"


def day_folders(base: Path, day: date) -> list[Path]:
    """Every existing folder of a day: zero-padded, and in the old unpadded forms."""
    months = dict.fromkeys((f"{day.month:02d}", str(day.month)))
    days = dict.fromkeys((f"{day.day:02d}", str(day.day)))
    candidates = [base / f"{day.year:04d}" / month / number for month in months for number in days]
    return [folder for folder in candidates if folder.is_dir()]


def all_days(base: Path) -> list[date]:
    """The days for which a store has folders, in order."""
    days = set()
    for year in _folders(base, _YEAR):
        for month in _folders(year, _SHORT):
            for day in _folders(month, _SHORT):
                try:
                    days.add(date(int(year.name), int(month.name), int(day.name)))
                except ValueError:
                    continue
    return sorted(days)


def _folders(parent: Path, pattern: re.Pattern[str]) -> Iterator[Path]:
    try:
        names = sorted(item.name for item in parent.iterdir() if pattern.fullmatch(item.name) and item.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        yield parent / name


def page_folder(parent: Path, md5: str) -> Path:
    """The folder of a page below that of its day or feed. Raises UsageError for a name that is not a digest."""
    if not is_md5(md5):
        raise UsageError(f"{md5[:80]!r} is not a page of a store: its name should be an MD5 of 32 digits")
    return parent / md5


def inside(base: Path, path: Path) -> Path:
    """The path itself, if it is in the store. Raises UsageError when it leads out of it, through `..` or a link."""
    if not path.resolve().is_relative_to(base.resolve()):
        raise UsageError(f"{path} leads out of the page store {base}")
    return path

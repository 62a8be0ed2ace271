"""What is wrong in a page store: orphans, missing contents, unreadable lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tearsheet.errors import UsageError
from tearsheet.files import TEMPORARY
from tearsheet.foreign_text import read_json
from tearsheet.pagestore.meta import KINDS, MetaLine, clean_id, clean_language, is_md5, url_md5
from tearsheet.pagestore.paths import CONTENTS, META, SIDECAR, all_days, day_folders, inside
from tearsheet.pagestore.store import PageStore


@dataclass(slots=True, frozen=True)
class Finding:
    """One thing that is wrong, and where. The first word of `what` says which kind of finding it is."""

    path: str
    what: str


def check_store(store: PageStore, *, since: date | None = None, until: date | None = None) -> Iterator[Finding]:
    """Go through a store and say what is wrong. Nothing is changed."""
    for day in all_days(store.base):
        if (since is not None and day < since) or (until is not None and day > until):
            continue
        for folder in day_folders(store.base, day):
            yield from _check_folder(store, folder, None)


def _check_folder(store: PageStore, folder: Path, feed: MetaLine | None) -> Iterator[Finding]:
    meta = store.meta(folder / META)
    where = str((folder / META).relative_to(store.base))
    if meta.blanks:
        yield Finding(where, f"blank lines: {meta.blanks}")
    for number, text in meta.strays:
        yield Finding(where, f"unreadable line {number}: {text[:80]!r}")
    named: set[str] = set()
    seen: set[str] = set()
    for line in meta.lines:
        for problem in line.problems:
            yield Finding(where, f"line {line.number}: {problem}")
        if line.text() in seen:
            yield Finding(where, f"duplicate line {line.number}: {line.md5}")
        seen.add(line.text())
        found = store.find_contents(folder, line)
        if found is None:
            yield Finding(where, f"missing contents of line {line.number}: {line.md5} {line.url[:200]}")
            named.add(line.md5)
            continue
        named.add(found.parent.name)
        yield from _check_page(store, found)
        has_items = (found.parent / META).exists()
        if has_items and line.kind in ("rss", None) and feed is None:
            yield from _check_folder(store, found.parent, line)
        elif has_items:
            yield Finding(where, f"nested META below line {line.number}, which is not a feed")
    yield from _check_names(store, folder, named)


def _check_page(store: PageStore, contents: Path) -> Iterator[Finding]:
    where = str(contents.relative_to(store.base))
    data = contents.read_bytes()
    if not data.strip():
        yield Finding(where, "empty contents")
    try:
        values = read_json((contents.parent / SIDECAR).read_text("utf-8", "replace"))
        stated = values.get("sha256") if isinstance(values, dict) else None
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        yield Finding(where, f"unreadable {SIDECAR}")
        return
    if stated != hashlib.sha256(data).hexdigest():
        yield Finding(where, f"mismatch: {SIDECAR} has a different digest")


def _check_names(store: PageStore, folder: Path, named: set[str]) -> Iterator[Finding]:
    for path in sorted(folder.iterdir()):
        where = str(path.relative_to(store.base))
        try:
            inside(store.base, path)
        except UsageError:
            yield Finding(where, "leads out of the store")
            continue
        if path.name.endswith(TEMPORARY):
            yield Finding(where, "leftover of a writer that died")
        elif path.is_dir() and is_md5(path.name) and path.name not in named:
            yield Finding(where, "orphan: META does not name it")
        elif path.name not in (META, CONTENTS, SIDECAR, "META.old") and not (path.is_dir() and is_md5(path.name)):
            yield Finding(where, "unknown file")


def repair_store(store: PageStore) -> list[str]:
    """Name orphans in META again, using the sidecar beside their pages. Returns the folders that were repaired."""
    repaired: list[str] = []
    for day in all_days(store.base):
        for folder in day_folders(store.base, day):
            repaired += _repair_folder(store, folder)
            for line in store.meta(folder / META).lines:
                if line.kind == "rss" and (folder / line.md5).is_dir():
                    repaired += _repair_folder(store, folder / line.md5)
    return repaired


def _repair_folder(store: PageStore, folder: Path) -> Iterator[str]:
    named = {line.md5 for line in store.meta(folder / META).lines}
    for path in sorted(folder.iterdir()):
        if not is_md5(path.name) or path.name in named or not (path / CONTENTS).is_file():
            continue
        try:
            values = read_json((inside(store.base, path) / SIDECAR).read_text("utf-8", "replace"))
            url, kind, language = str(values["url"]), str(values["kind"]), str(values.get("language") or "")
        except (OSError, ValueError, KeyError, TypeError, UsageError):
            continue
        line = MetaLine(path.name, url, clean_id(values.get("page_id")), kind, clean_language(language))
        if kind in KINDS and line.md5 == url_md5(url):
            store.append_line(folder / META, line)
            yield str(path.relative_to(store.base))

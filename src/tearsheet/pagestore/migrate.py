"""Bring old META files (`MD5 URL`) to five fields. May be repeated, and may be stopped at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.files import sync_folder, write_whole
from tearsheet.pagestore.meta import MetaLine, clean_id, clean_language, md5_hex, url_md5
from tearsheet.pagestore.paths import CONTENTS, META, all_days, day_folders
from tearsheet.pagestore.store import PageStore, locked_meta

BACKUP = "META.old"


@dataclass(slots=True, frozen=True)
class KnownPage:
    """What is known about a URL: the fields that an old line lacks."""

    page_id: str
    kind: str
    language: str


Lookup = Callable[[str], KnownPage | None]


@dataclass(slots=True)
class Migration:
    """What was done, or would be done."""

    files: int = 0
    changed: int = 0
    lines: int = 0
    enriched: int = 0
    repaired: int = 0
    """Pages split over two lines, which were joined."""
    moved: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """URLs that the lookup does not know; their lines are kept as they are."""


def migrate_store(
    store: PageStore,
    lookup: Lookup,
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Migration:
    """Migrate every META file of a store. `progress` is told how many days are done, and of how many.

    Lines that have five fields are kept; so is anything that cannot be read or is not known. The original META is kept as
    `META.old`. Contents are never touched; a folder moves only if its digest was taken of a URL with a line break or blanks.
    """
    report = Migration()
    days = list(all_days(store.base))
    for number, day in enumerate(days, 1):
        for folder in day_folders(store.base, day):
            for feed_folder, feed in _migrate_file(store, folder, lookup, report, dry_run):
                _migrate_file(store, feed_folder, _item_of(feed), report, dry_run)
        progress(number, len(days))
    return report


def _item_of(feed: MetaLine) -> Lookup:
    """Items have no id: they get that of their feed."""
    known = KnownPage(feed.page_id or "", "rssitem", feed.language or "")
    return lambda _: known


def _migrate_file(
    store: PageStore,
    folder: Path,
    lookup: Lookup,
    report: Migration,
    dry_run: bool,
) -> list[tuple[Path, MetaLine]]:
    """Migrate one META file; returns the feeds that it names, so that their items can follow."""
    path = folder / META
    feeds: list[tuple[Path, MetaLine]] = []
    if not path.is_file():
        return feeds
    report.files += 1
    with locked_meta(path) as stream:
        stream.seek(0)
        before = stream.read()
        lines = _migrated_lines(store, folder, lookup, report, feeds, dry_run)
        after = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
        if after != before:
            report.changed += 1
            if not dry_run:
                if not (folder / BACKUP).exists():
                    write_whole(folder / BACKUP, before)
                write_whole(path, after)
    return feeds


def _migrated_lines(
    store: PageStore,
    folder: Path,
    lookup: Lookup,
    report: Migration,
    feeds: list[tuple[Path, MetaLine]],
    dry_run: bool,
) -> list[str]:
    meta = store.meta(folder / META)
    numbered: list[tuple[int, str]] = list(meta.strays)
    seen: set[str] = set()
    for line in meta.lines:
        report.lines += 1
        if len(line.raw) > 1:
            report.repaired += 1
        if not line.migrated:
            _enrich(line, lookup(line.url), report)
        old_md5 = line.md5
        if line.migrated or len(line.raw) > 1:
            _correct_digest(folder, line, report, dry_run)
        text = line.text() if line.migrated or len(line.raw) > 1 else line.raw[0].rstrip("\r\n")
        if text not in seen:
            seen.add(text)
            numbered.append((line.number, text))
        if line.kind == "rss":
            feeds.append((folder / (old_md5 if dry_run else line.md5), line))
    return [text for _, text in sorted(numbered)]


def _enrich(line: MetaLine, known: KnownPage | None, report: Migration) -> None:
    if known is None:
        report.unknown.append(line.url)
        return
    line.page_id, line.kind = clean_id(known.page_id), known.kind
    line.language = clean_language(known.language)
    report.enriched += 1


def _correct_digest(folder: Path, line: MetaLine, report: Migration, dry_run: bool) -> None:
    """Move a page whose digest was taken of a URL with a line break or blanks to the folder where readers expect it."""
    right = url_md5(line.url)
    if line.md5 == right or line.md5 not in (md5_hex(line.url + "\n"), md5_hex(line.url)):
        return
    source, target = folder / line.md5, folder / right
    if source.is_dir() and not (target / CONTENTS).exists():
        if target.exists():
            return  # something else is there: leave both for a person to look at
        report.moved.append(f"{source.name} -> {target.name}")
        if not dry_run:
            source.rename(target)
            sync_folder(folder)
    line.md5 = right

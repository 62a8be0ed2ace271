"""Bring META files of old (`MD5 URL`) to five fields. May be run again and again, and may be stopped at any time."""

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
    """What is known of a URL: the fields that a line of old lacks."""

    page_id: str
    kind: str
    language: str


Lookup = Callable[[str], KnownPage | None]


@dataclass(slots=True)
class Migration:
    """What was done, or would be."""

    files: int = 0
    changed: int = 0
    lines: int = 0
    enriched: int = 0
    repaired: int = 0
    """Lines whose line break was taken out."""
    moved: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """URLs that nobody knows; their lines are kept as they are."""


def migrate_store(store: PageStore, lookup: Lookup, *, dry_run: bool = False) -> Migration:
    """Migrate every META file of a store.

    Lines that have their five fields are kept; so is whatever cannot be read or is not known. The first META of all is kept
    as `META.old`. Contents are never touched; folders move only where a digest was taken of a URL with a line break.
    """
    report = Migration()
    for day in all_days(store.base):
        for folder in day_folders(store.base, day):
            for feed_folder, feed in _migrate_file(store, folder, lookup, report, dry_run):
                _migrate_file(store, feed_folder, _item_of(feed), report, dry_run)
    return report


def _item_of(feed: MetaLine) -> Lookup:
    """Items have no id of their own: they go by that of their feed."""
    known = KnownPage(feed.page_id or "", "rssitem", feed.language or "")
    return lambda _: known


def _migrate_file(
    store: PageStore,
    folder: Path,
    lookup: Lookup,
    report: Migration,
    dry_run: bool,
) -> list[tuple[Path, MetaLine]]:
    """Migrate one META file; gives the feeds that it names, so that their items can follow."""
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
    for entry in meta.entries:
        report.lines += 1
        if len(entry.raw) > 1:
            report.repaired += 1
        if not entry.migrated:
            _enrich(entry, lookup(entry.url), report)
        old_md5 = entry.md5
        if entry.migrated or len(entry.raw) > 1:
            _correct_digest(folder, entry, report, dry_run)
        text = entry.text() if entry.migrated or len(entry.raw) > 1 else entry.raw[0].rstrip("\r\n")
        if text not in seen:
            seen.add(text)
            numbered.append((entry.number, text))
        if entry.kind == "rss":
            feeds.append((folder / (old_md5 if dry_run else entry.md5), entry))
    return [text for _, text in sorted(numbered)]


def _enrich(entry: MetaLine, known: KnownPage | None, report: Migration) -> None:
    if known is None:
        report.unknown.append(entry.url)
        return
    entry.page_id, entry.kind = clean_id(known.page_id), known.kind
    entry.language = clean_language(known.language)
    report.enriched += 1


def _correct_digest(folder: Path, entry: MetaLine, report: Migration, dry_run: bool) -> None:
    """Move a page whose digest was taken of a URL with a line break, or with blanks, to where it is looked for."""
    right = url_md5(entry.url)
    if entry.md5 == right or entry.md5 not in (md5_hex(entry.url + "\n"), md5_hex(entry.url)):
        return
    source, target = folder / entry.md5, folder / right
    if source.is_dir() and not (target / CONTENTS).exists():
        if target.exists():
            return  # something else stands there: leave both to the eyes of people
        report.moved.append(f"{source.name} -> {target.name}")
        if not dry_run:
            source.rename(target)
            sync_folder(folder)
    entry.md5 = right

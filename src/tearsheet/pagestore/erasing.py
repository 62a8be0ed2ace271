"""Pages leave the store: their contents, what is known about their capture, and their lines in META."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from tearsheet.archive import index_id_of
from tearsheet.files import storage_errors, sync_folder, write_whole
from tearsheet.pagestore.meta import MetaLine, parse_meta, url_md5
from tearsheet.pagestore.migrate import BACKUP
from tearsheet.pagestore.paths import CONTENTS, META, SIDECAR, all_days, day_folders, page_folder
from tearsheet.pagestore.store import PageStore, locked_meta


def erase_pages(store: PageStore, keys: Container[str], *, dry_run: bool = False) -> int:
    """Remove every page with one of these addresses, given by the keys of the index; returns how many there are.

    A page goes before its line, so that a kill in between leaves the line, and the next call finds it.
    """
    with storage_errors(f"cannot write to the page store {store.base}"):
        folders = [folder for day in all_days(store.base) for folder in day_folders(store.base, day)]
        return sum(_erase_below(store, folder, keys, dry_run) for folder in folders)


def _erase_below(store: PageStore, folder: Path, keys: Container[str], dry_run: bool) -> int:
    """The pages of a day or of a feed; below a day, the items of its feeds too."""
    lines = store.meta(folder / META).lines
    feeds = {line.md5 for line in lines if line.kind in ("rss", None) and (folder / line.md5 / META).is_file()}
    count = sum(_erase_below(store, page_folder(folder, md5), keys, dry_run) for md5 in sorted(feeds))
    gone = [line for line in lines if index_id_of(line.url) in keys]
    if gone and not dry_run:
        for line in gone:
            _remove_page(folder, line)
        for name in (META, BACKUP):
            _remove_lines(folder / name, keys)
    return count + len(gone)


def _remove_page(folder: Path, line: MetaLine) -> None:
    for md5 in {line.md5, url_md5(line.url)}:
        own = page_folder(folder, md5)
        if own.is_dir():
            for name in (CONTENTS, SIDECAR):
                (own / name).unlink(missing_ok=True)
            if not any(own.iterdir()):
                own.rmdir()
    sync_folder(folder)


def _remove_lines(path: Path, keys: Container[str]) -> None:
    if not path.is_file():
        return
    with locked_meta(path) as stream:
        stream.seek(0)
        text = stream.read().decode("utf-8", "surrogateescape")
        found = parse_meta(text)
        gone = {raw for line in found.lines if index_id_of(line.url) in keys for raw in line.raw}
        kept = [line for line in text.split("\n") if line not in gone]
        write_whole(path, "\n".join(kept).encode("utf-8", "surrogateescape"))

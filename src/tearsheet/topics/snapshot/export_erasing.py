"""Exports in the data folder lose the files that name erased stories.

Their figures are about sources and stay. A page, and a table of stories, of their links or of linked pages, can be written again
from the snapshot, which by then has lost the title and the address; so they are removed, and a note in their place says so.
Exports elsewhere belong to the user.
"""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from tearsheet.files import storage_errors, sync_folder, write_whole

NOTE = "ERASED.txt"
_SUMMARY = "summary.json"
_WITH_STORIES = ("stories", "story_links", "pages")
"""Tables and networks that have titles, sentences or addresses of stories: a Parquet file does not show them to a search."""
_NOTE = (
    "Files that were here named a story that has been erased, and were removed.\n"
    "`tearsheet topic export` and `tearsheet topic map` write them again, without it.\n"
)


def erase_from_exports(
    folder: Path, topics: Collection[str], urls: Iterable[str], *, dry_run: bool = False
) -> list[Path]:
    """Remove what names a story from the exports below a folder; returns the files.

    That is every page and table of stories or their links of these `topics`, and whichever file has one of the addresses in it.
    """
    forms = [form.encode() for url in urls for form in {url, html.escape(url), json.dumps(url)[1:-1]}]
    named = [path for path in sorted(folder.rglob("*")) if path.is_file() and _names(path, folder, topics, forms)]
    if not dry_run:
        for path in named:
            with storage_errors(f"cannot remove {path}"):
                write_whole(path.with_name(NOTE), _NOTE.encode())
                path.unlink()
                sync_folder(path.parent)
    return named


def _names(path: Path, folder: Path, topics: Collection[str], forms: Iterable[bytes]) -> bool:
    if path.name == NOTE:
        return False
    if (path.suffix == ".html" or path.stem in _WITH_STORIES) and any(
        topic in topics for topic in _topic(path, folder)
    ):
        return True
    with storage_errors(f"cannot read {path}"):
        data = path.read_bytes()
    return any(form in data for form in forms)


def _topic(path: Path, folder: Path) -> Iterator[str]:
    """The topic that a file is about, as the summary of its export says."""
    for above in path.parents:
        try:
            yield str(json.loads((above / _SUMMARY).read_bytes())["topic"])
            return
        except (OSError, ValueError, KeyError, TypeError):
            if above == folder:
                return

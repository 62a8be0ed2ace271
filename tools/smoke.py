"""Does the program work on this Python and this system? Imports every module, reads a feed and a page, writes an index and asks it.

`python -m tools.smoke`, or `make smoke`. It needs what `make run` needs, and nothing of the tests.
"""

from __future__ import annotations

import importlib
import pkgutil
import platform
import sys
import tempfile
from pathlib import Path

import tearsheet
from tearsheet.engines.index import IndexedStory, open_index
from tearsheet.extract import extract
from tearsheet.feeds.formats import parse_feed
from tearsheet.query import parse_query

_FEED = b"<rss version='2.0'><channel><item><title>Flood</title><link>https://news.example/flood</link></item></channel></rss>"
_PARAGRAPH = "The river rose by two metres in the night, and the harbour was closed until the morning. "
_PAGE = f"<html lang=en><title>Flood closes harbour</title><article><p>{_PARAGRAPH * 5}</p></article></html>"


def import_everything() -> int:
    """Import every module of the program, and say how many there are."""
    found = [module.name for module in pkgutil.walk_packages(tearsheet.__path__, "tearsheet.")]
    names = [name for name in found if "__main__" not in name and ".migrations" not in name]
    for name in names:
        importlib.import_module(name)
    return len(names)


def read_and_find(folder: Path) -> int:
    """Read a feed and the page that it names, put that into an index in this folder, and count what a query finds."""
    (entry,) = parse_feed(_FEED, "https://news.example/feed").entries
    article = extract(_PAGE, entry.link or "")
    assert article.article_title == "Flood closes harbour" and "two metres" in (article.text_content or "")
    index = open_index("index", folder)
    try:
        story = IndexedStory(
            "0" * 64, "1", "https://news.example/flood", "news.example", 1, text_content=article.text_content or ""
        )
        index.add([story])
        index.refresh()
        return index.count(parse_query('"the harbour" AND river'))
    finally:
        index.close()


def main() -> None:
    modules = import_everything()
    with tempfile.TemporaryDirectory() as folder:
        found = read_and_find(Path(folder))
    assert found == 1, f"the query found {found} stories instead of 1"
    print(
        f"Python {platform.python_version()} on {sys.platform}: {modules} modules imported, a page read, indexed and found"
    )


if __name__ == "__main__":
    main()

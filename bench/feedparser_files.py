"""feedparser's own test files, read by feedparser and by us: links, titles and dates, and the speed of both.

Run with `make bench-feedparser`, which fetches feedparser's source package, as it is locked, into the environment. Links and
titles of a feed and of its entries are to be equal, and every date that feedparser finds is to be found. Where we read something
else on purpose, `BETTER` says why.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import feedparser

from tearsheet.feeds import FeedError, ParsedFeed, parse_feed
from tearsheet.feeds.formats.dates import EARLIEST
from tearsheet.feeds.formats.titles import plain_title

ROOT = Path(__file__).parents[1]
FOLDER = Path(sys.prefix) / "feedparser-files"
URL = "http://127.0.0.1:8097/tests/feed.xml"
WANTED_EQUAL, WANTED_SPEED = 0.995, 10
_HEADER = re.compile(rb"^Header:\s+([^:]+):(.+)$", re.MULTILINE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DATES = ("published_parsed", "updated_parsed", "created_parsed")
_NO_ADDRESS = "an id that is no address is no link"
_ABOUT = "what an item of RDF is about is its link"
_ITS_OWN = "the encoding that it names is read as such, and not as Windows-1252"
_LOOKS = "an encoding that is not declared is known by its looks"
BETTER = {
    "wellformed/atom10/entry_id_with_attributes.xml": _NO_ADDRESS,
    "wellformed/lang/http_content_language_entry_title_inherit_2.xml": _NO_ADDRESS,
    "wellformed/node_precedence/atom10_id.xml": _NO_ADDRESS,
    "wellformed/rdf/rdf_item_": _ABOUT,
    "illformed/rdf_channel_empty_textinput.xml": _ABOUT,
    "encoding/bozo_invalid-bytes-with-bom.xml": "UTF-8 mixed with Windows-1252 is read as both",
    "encoding/x80_csmacintosh.xml": _ITS_OWN,
    "encoding/x80_mac.xml": _ITS_OWN,
    "encoding/x80_ms-cyrl.xml": _ITS_OWN,
    "encoding/x80_tcvn": _ITS_OWN,
    "encoding/x80_viscii.xml": _ITS_OWN,
    "entities/lang.xml": "as HTML 5 has it",
    "entities/rang.xml": "as HTML 5 has it",
    "illformed/chardet/": _LOOKS,
    "wellformed/rss/item_category_image.xml": "the title of a picture is not the entry's",
    "wellformed/sanitize/entry_title_crazy.xml": "what is in a script is no title",
    "wellformed/sanitize/feed_title_crazy.xml": "what is in a script is no title",
}
"""By the beginning of a file's path and what differs in it: why we read it otherwise."""


@dataclass(frozen=True)
class TestFile:
    """One document, with the headers that it is to be served with."""

    name: str
    body: bytes
    headers: dict[str, str]

    @property
    def charset(self) -> str | None:
        """What HTTP states."""
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return found[1] if found else None

    @property
    def url(self) -> str:
        """Where it is served."""
        return urljoin(URL, self.headers.get("content-location", ""))


def fetch(folder: Path) -> str | None:
    """Fetch the source package of the feedparser that is installed, as it is locked, and unpack it; returns what went wrong."""
    if any(folder.glob(f"feedparser-{feedparser.__version__}/tests")):
        return None
    locked = re.search(
        r"^feedparser==[^\n]*\n(?:[ \t]+--hash[^\n]*\n?)+", (ROOT / "locks" / "dev.txt").read_text(), re.MULTILINE
    )
    if locked is None:
        return "feedparser is not in locks/dev.txt"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = folder / "wanted.txt"
    wanted.write_text(locked[0])
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
    done = subprocess.run(
        [*pip, "-d", str(folder), "-r", str(wanted)], capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    for package in folder.glob("feedparser-*.tar.gz"):
        with tarfile.open(package) as files:
            files.extractall(folder, filter="data")
    return None


def read_files(folder: Path) -> list[TestFile]:
    """The documents of a source package that was unpacked there."""
    found = []
    for path in sorted(folder.glob("feedparser-*/tests/**/*")):
        if path.is_file() and path.suffix in (".xml", ".gz"):
            body = path.read_bytes()
            headers = {
                key.strip().lower().decode(): value.strip().decode("latin-1")
                for key, value in _HEADER.findall(body[:4096])
            }
            found.append(TestFile(path.as_posix().partition("/tests/")[2], body, headers))
    return found


def ours(file: TestFile) -> ParsedFeed | None:
    """What we read; None for what is no feed to us."""
    try:
        return parse_feed(file.body, file.url, charset=file.charset)
    except FeedError:
        return None


def theirs(file: TestFile) -> Any:
    """What feedparser reads."""
    return feedparser.parse(file.body, response_headers={**file.headers, "content-location": file.url})


@dataclass(frozen=True)
class Found:
    """One thing that a feed says, as both read it."""

    file: str
    where: str
    what: str
    ours: object
    theirs: object

    @property
    def is_equal(self) -> bool:
        """Whether both read the same; of dates, whether none is missing."""
        return bool(self.ours) if self.what == "date" else self.ours == self.theirs

    @property
    def reason(self) -> str | None:
        """Why we read something else on purpose."""
        for beginning, why in BETTER.items():
            if f"{self.file} {self.where} {self.what}".startswith(beginning):
                return why
        return None


def compare(file: TestFile) -> Iterator[Found]:
    """What feedparser finds in a document, and what we do."""
    mine, other = ours(file) or ParsedFeed(""), theirs(file)
    yield from _pair(file.name, "feed", mine.title, mine.home, mine.updated, other.feed)
    for number, entry in enumerate(other.entries):
        own = mine.entries[number] if number < len(mine.entries) else None
        link, title, date = (own.link, own.title, own.published or own.updated) if own else (None, None, None)
        yield from _pair(file.name, f"entry {number}", title, link, date, entry)


def _pair(file: str, where: str, title: str | None, link: str | None, date: object, other: Any) -> Iterator[Found]:
    their_title, their_link = plain_title(other.get("title") or ""), other.get("link")
    if title or their_title:
        yield Found(file, where, "title", title, their_title)
    if link or their_link:
        yield Found(file, where, "link", link, their_link)
    dates = [other[name] for name in _DATES if other.get(name)]
    if dates and max(dates).tm_year >= EARLIEST.year:
        yield Found(file, where, "date", date, dates)


def seconds(read: Any, files: list[TestFile]) -> float:
    """How long it takes to read all."""
    started = time.process_time()
    for file in files:
        read(file)
    return time.process_time() - started


def print_table(found: list[Found], verbose: bool) -> bool:
    """How much is equal, how much is better and why, and the rest; returns whether it is enough."""
    held = True
    print(f"{'':8}{'found':>8}{'equal':>8}{'better':>8}{'other':>8}{'share':>9}")
    for what, wanted in (("link", WANTED_EQUAL), ("title", WANTED_EQUAL), ("date", 1.0)):
        those = [one for one in found if one.what == what]
        unequal = [one for one in those if not one.is_equal]
        others = [one for one in unequal if not one.reason]
        share = 1 - len(others) / len(those)
        held &= share >= wanted
        counts = (len(those), len(those) - len(unequal), len(unequal) - len(others), len(others))
        print(f"{what:8}{''.join(f'{count:8}' for count in counts)}{share:9.2%}")
        for one in unequal if verbose else others:
            print(f"  {one.file} {one.where}: {one.ours!r}, feedparser {one.theirs!r} {one.reason or ''}")
    for reason, count in Counter(one.reason for one in found if not one.is_equal and one.reason).most_common():
        print(f"  {count:4} {reason}")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="where the source package is unpacked")
    parser.add_argument("--fetch", action="store_true", help="fetch it if it is not there")
    parser.add_argument("--verbose", action="store_true", help="show every difference, also those with a reason")
    options = parser.parse_args()
    wrong = fetch(options.folder) if options.fetch else None
    files = read_files(options.folder)
    if not files:
        print(f"Skipped: feedparser's source package is not in {options.folder}. {wrong or '--fetch fetches it.'}")
        return 0
    print(f"{len(files)} files of feedparser {feedparser.__version__}")
    held = print_table([one for file in files for one in compare(file)], options.verbose)
    fast, slow = min(seconds(ours, files) for _ in range(2)), seconds(theirs, files)
    rates = f"{len(files) / fast:.0f} files/s, feedparser {len(files) / slow:.0f}"
    print(f"speed: {rates}, ratio {slow / fast:.1f} (wanted: {WANTED_SPEED})")
    return 0 if held and slow >= WANTED_SPEED * fast else 1


if __name__ == "__main__":
    sys.exit(main())

"""Feeds: parsing side by side with feedparser, picking due feeds out of many, and polling on loopback.

Run with `make bench-feeds`. Each part prints its figures and what they are held against; the exit code says whether all hold.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import feedparser

from bench.loopback import Answers, response, serving
from tearsheet.engines.database import open_database
from tearsheet.feeds import FeedError, ParsedFeed, parse_feed
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.formats.titles import plain_title
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.tables import feed_paces, feeds
from tearsheet.fetch.client import Client
from tearsheet.settings import FeedSettings, FetchSettings
from tearsheet.work import ReadingPool

SHARED_DATA = Path(os.environ.get("TEARSHEET_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
URL = "http://feeds.example/feed"
NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
EXPLAINED = {
    "Ranchero-Software__RSParser__OneFootTsunami.atom": "an empty link leads nowhere; feedparser gives the feed's own address",
    "Ranchero-Software__NetNewsWire__yakubin.atom": "relative to its own site, since the feed is on another host",
    "danmactough__node-feedparser__tpm-with-empty-base.atom": "relative to its own site, since the feed is on another host",
    "danmactough__node-feedparser__tpm.atom": "relative to its own site, since the feed is on another host",
    "feed-rs__feed-rs__rss_1.0_example_1.xml": "relative to the channel's link",
    "rbren__rss-parser__gulp-atom.atom": "relative to its own site, since the feed is on another host",
    "arminreiter__FeedReader__Rss20CityDog.xml": "encoded twice; feedparser leaves the title as it is",
    "arminreiter__FeedReader__Rss20IndianExpress.xml": "encoded twice; feedparser leaves half a character",
    "arminreiter__FeedReader__Rss20LeParisien.xml": "encoded twice; feedparser leaves half a character",
    "arminreiter__FeedReader__Rss20ItunesSample.xml": "a zone of thirty hours is no zone",
    "danmactough__node-feedparser__compressed.xml": "gzipped; feedparser does not unpack it",
    "danmactough__node-feedparser__invalid-characters-gzipped.xml": "gzipped; feedparser does not unpack it",
    "danmactough__node-feedparser__illegally-nested.xml": "an empty item inside an item is no story",
    "dhvcc__rss-parser__data~16.xml": "feedparser takes the link of a related story inside the item",
    "mmcdole__gofeed__issue_217_enclosure_children.xml": "feedparser takes the title of an enclosure",
    "mmcdole__gofeed__rdf_item_description_cdata_escaped_markup.xml": "what an RDF item is about is its link; feedparser has none",
    "mmcdole__gofeed__rdf_item_description_cdata_naked_markup.xml": "what an RDF item is about is its link; feedparser has none",
    "mmcdole__gofeed__rdf_item_description_escaped_markup.xml": "what an RDF item is about is its link; feedparser has none",
    "nmdias__FeedKit__Media.xml": "feedparser takes the title of a media group",
    "nmdias__FeedKit__iTunes.xml": "its only title is in iTunes' words",
    "prof18__RSS-Parser__feed-test-audio.xml": "an id that is no address is no link",
    "rometools__rome__atom_0.3.xml": "an id that is no address is no link",
    "rometools__rome__atom_0.3_DC_Sy.xml": "an id that is no address is no link",
    "rometools__rome__ep1_v4a.xml": "an item inside the history of another is no story",
    "rometools__rome__ep2_v4a.xml": "an item inside the history of another is no story",
    "rometools__rome__v4.xml": "an item inside the history of another is no story",
    "rometools__rome__v5.xml": "an item inside the history of another is no story",
    "rometools__rome__v6.xml": "an item inside the history of another is no story",
}
"""Well-formed feeds in which we read something else than feedparser, on purpose."""
WELL_FORMED = (
    "rss-2.0",
    "atom",
    "rdf-rss-1.0",
    "atom-0.3",
    "rss-0.91",
    "rss-0.92",
    "rss-0.93",
    "rss-0.94",
    "rdf-rss-0.90",
    "rdf",
)


def read_archive() -> dict[str, tuple[str, bytes]]:
    """Format and bytes of every feed, by name."""
    listed = json.loads((SHARED_DATA / "feeds" / "list.json").read_text())
    found = {}
    with tarfile.open(SHARED_DATA / "feeds" / "feeds.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name in listed else None
            if file:
                found[member.name] = (listed[member.name]["format"], file.read())
    return found


# --------------------------------------------------------------------------------------------------------- parsing


def per_second(parse: Callable[[bytes], object], bodies: list[bytes], rounds: int) -> float:
    started = time.perf_counter()
    for _ in range(rounds):
        for body in bodies:
            parse(body)
    return len(bodies) * rounds / (time.perf_counter() - started)


def ours(body: bytes) -> ParsedFeed | None:
    try:
        return parse_feed(body, URL, now=NOW)
    except FeedError:
        return None


def theirs(body: bytes) -> Any:
    return feedparser.parse(body, response_headers={"content-location": URL})


def differences(name: str, body: bytes) -> list[str]:
    """Where the two disagree about a well-formed feed: links, titles, ids, and dates that we lack."""
    mine, other = ours(body), theirs(body)
    entries = other.entries
    if mine is None or len(mine.entries) != len(entries):
        return [f"{name}: {len(mine.entries) if mine else None} entries, feedparser {len(entries)}"]
    found = []
    for number, (a, b) in enumerate(zip(mine.entries, entries, strict=True)):
        for what, left, right in (
            (
                "link",
                a.link,
                _http(b.get("feedburner_origlink")) or _http(b.get("pheedo_origlink")) or _http(b.get("link")),
            ),
            ("title", a.title, plain_title(b.get("title") or "")),
            ("id", a.guid, b.get("id")),
        ):
            # An id is a name and not an address: feedparser resolves it, we keep it. A blank in an address is none, and a tracker's
            # address stands for the publisher's own, which feedparser gives beside it.
            if _bare(left) != _bare(right) and not (what == "id" and _bare(urljoin(URL, left or "")) == _bare(right)):
                found.append(f"{name}[{number}] {what}: {left!r}, feedparser {right!r}")
        dated = b.get("published_parsed") or b.get("updated_parsed")
        if dated and not a.published and 1990 <= dated.tm_year <= NOW.year:
            found.append(f"{name}[{number}] date: none, feedparser {b.get('published') or b.get('updated')!r}")
    return found


def _bare(text: str | None) -> str | None:
    return "".join(text.replace("%20", "").replace("http://", "https://").replace(":443", "").split()) if text else None


def _http(link: str | None) -> str | None:
    """An address that can be fetched. feedparser gives `tag:` and `urn:` ids as links where there is none."""
    return link if link and link.startswith(("http://", "https://")) else None


def bench_parsing(rounds: int, verbose: bool) -> bool:
    archive = read_archive()
    bodies = [body for _, body in archive.values()]
    fast, slow = per_second(ours, bodies, rounds), per_second(theirs, bodies, 1)
    print(f"parse_feed {fast:8.0f} feeds/s\nfeedparser {slow:8.0f} feeds/s   ratio {fast / slow:.1f} (wanted: 10)")
    well_formed = {
        name: body
        for name, (form, body) in archive.items()
        if form in WELL_FORMED and (mine := ours(body)) is not None and not mine.damaged
    }
    unequal = {name: found for name, body in well_formed.items() if (found := differences(name, body))}
    mine_dates = sum(1 for body in well_formed.values() for e in (ours(body) or ParsedFeed("")).entries if e.published)
    other_dates = sum(
        1
        for body in well_formed.values()
        for entry in theirs(body).entries
        if (date := entry.get("published_parsed") or entry.get("updated_parsed")) and 1990 <= date.tm_year <= NOW.year
    )
    unexplained = {name: found for name, found in unequal.items() if Path(name).name not in EXPLAINED}
    print(
        f"{len(well_formed)} well-formed feeds: {len(unequal)} differ, {len(unexplained)} of them for no known reason"
    )
    print(f"dates: {mine_dates}, feedparser {other_dates}")
    for found in (unequal if verbose else unexplained).values():
        print("\n".join(found[:4]))
    return fast >= 10 * slow and mine_dates >= other_dates and not unexplained


# ------------------------------------------------------------------------------------------------- picking due feeds


def time_to_pick(folder: Path, count: int, rounds: int = 5) -> float:
    """Seconds for picking the next 1,000 feeds out of `count`, half of which are due."""
    database = open_database(f"{count}.db", folder)
    database.migrate()
    rows = [
        {
            "url": f"http://h{number}.example/", "host": f"h{number}.example", "sources_id": number, "created_at": NOW,
            "due_at": NOW + timedelta(seconds=(number * 7919) % count - count / 2),
        }
        for number in range(count)
    ]  # fmt: skip
    with database.begin() as connection:
        connection.execute(feeds.insert(), rows)
    terms = store.LeaseTerms("bench", 1000, timedelta(seconds=5), timedelta(seconds=30), timedelta(minutes=5))
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        leased, _ = store.lease_due(database, terms, NOW, NOW)
        best = min(best, time.perf_counter() - started)
        assert len(leased) == 1000
        store.give_back(database, leased, NOW - timedelta(days=1))
        with database.begin() as connection:
            connection.execute(feed_paces.delete())
    database.close()
    return best


def bench_picking() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        few, many = (time_to_pick(Path(folder), count) for count in (2_000, 200_000))
    print(
        f"1,000 due feeds: {few * 1000:.0f} ms of 2,000, {many * 1000:.0f} ms of 200,000   ratio {many / few:.2f} (wanted: 3)"
    )
    return many <= 3 * few


# --------------------------------------------------------------------------------------------------------- polling


def twenty_kilobytes(number: int) -> bytes:
    """A feed of 20 kB with 20 stories of its own."""
    items = "".join(
        f"<item><title>Story {story} of feed {number}</title><link>http://news{number}.example/2026/11/15/story-{story}.html</link>"
        f'<guid isPermaLink="false">{number}-{story}</guid><pubDate>Sun, 15 Nov 2026 10:{story:02}:00 +0100</pubDate>'
        f"<description>{'All the news that fits. ' * 30}</description></item>"
        for story in range(20)
    )
    return f'<rss version="2.0"><channel><title>Feed {number}</title><link>http://news{number}.example/</link>{items}</channel></rss>'.encode()


def feed_answers(count: int) -> Answers:
    """/NUMBER is the feed of that number, made beforehand."""
    made = {b"/%d" % number: response("application/rss+xml", twenty_kilobytes(number)) for number in range(count)}
    return made.__getitem__


def bench_polling(count: int) -> bool:
    """Poll `count` feeds on loopback hosts of their own, all of them new, into a database on disk."""
    with serving(feed_answers(count)) as server, tempfile.TemporaryDirectory() as folder:
        database = open_database("bench.db", Path(folder))
        database.migrate()
        hosts = [f"127.{1 + number // 60_000}.{number // 250 % 250}.{1 + number % 250}" for number in range(count)]
        add_feeds(
            database, [NewFeed(f"http://{host}:{server.port}/{number}") for number, host in enumerate(hosts)], NOW
        )
        rates = [asyncio.run(_poll_all(database, count)) for _ in range(2)]
        served = 1000 * server.cpu_seconds() / (2 * count)
        database.close()
    print(
        f"polled {count} feeds of 20 kB: {rates[0]:.0f} feeds/s all new, {rates[1]:.0f} feeds/s unchanged (wanted: 300); "
        f"the server needed {served:.2f} ms each"
    )
    return rates[0] >= 300


async def _poll_all(database: Any, count: int) -> float:
    with database.begin() as connection:
        connection.execute(feeds.update().values(due_at=NOW))
        connection.execute(feed_paces.delete())  # as if hours had passed since the last poll
    gc.freeze()  # as `tearsheet run` does
    client = Client(FetchSettings(allow_addresses=["127.0.0.0/8"], concurrency=128))
    reader = ReadingPool(os.cpu_count() or 1, 30.0)
    poller = Poller(database, client, reader, FeedSettings(concurrency=128))
    started, cpu = time.perf_counter(), time.process_time()
    await poller.run(asyncio.Event(), once=True)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    print(f"  {count / seconds:.0f} feeds/s, {1000 * cpu / count:.2f} ms of processor time each")
    await client.close()
    await reader.close()
    assert poller.counters["feeds.fetch_succeeded"] == count, poller.counters
    return count / seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often every feed is parsed")
    parser.add_argument("--polls", type=int, default=3000, help="how many feeds are polled")
    parser.add_argument("--only", choices=("parse", "pick", "poll"))
    parser.add_argument("--verbose", action="store_true", help="show where feedparser reads something else")
    options = parser.parse_args()
    parts: dict[str, Callable[[], bool]] = {
        "parse": lambda: bench_parsing(options.rounds, options.verbose),
        "pick": bench_picking,
        "poll": lambda: bench_polling(options.polls),
    }
    held = [part() for name, part in parts.items() if options.only in (None, name)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Topics at scale: the relevance test, matching links with known stories, a map of many sources, a large snapshot.

`make bench-topics`; STORIES and LINKS make it smaller.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import zstandard
from tests.support.many_sources import many_sources

from tearsheet.engines.database import open_database
from tearsheet.engines.database.port import Database
from tearsheet.engines.index.opener import open_index
from tearsheet.engines.index.port import IndexedStory
from tearsheet.query import parse_query
from tearsheet.settings import TopicSettings
from tearsheet.topics import model, store, tables
from tearsheet.topics.model import NewTopic
from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.export_files import write_export
from tearsheet.topics.snapshot.map_png import to_png
from tearsheet.topics.snapshot.map_svg import to_svg
from tearsheet.topics.snapshot.store import load_snapshot, save_snapshot
from tearsheet.topics.snapshot.timespans import timespans_of
from tearsheet.topics.spider.addresses import clean_url, url_key
from tearsheet.topics.spider.relevance import RawTest
from tearsheet.topics.spider.tools import Tools

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(length))


def pages(rng: random.Random, kind: str) -> list[str]:
    """Pages as they are received: markup, references, and the letters of a language."""
    words = [word(rng, rng.randint(2, 10)) for _ in range(5_000)]
    marks = {
        "plain": ["and"],
        "English": ["<p>", "</p>", '<a href="/x?a=1&amp;b=2">', "</a>", "\u2019", "&nbsp;", "&#8217;", "&rsquo;", "–"],
        "French": ["<p>", "</p>", "été", "français", "à", "&eacute;", "«&nbsp;", "’"],
        "Russian": ["<p>", "</p>", *("новости который было языка после время город России".split() * 8)],
    }[kind]
    return [
        " ".join(rng.choice(marks) if rng.random() < 0.3 else one for one in rng.choices(words, k=30_000))
        for _ in range(20)
    ]


def relevance(megabytes: int) -> None:
    rng = random.Random(1)
    test = RawTest(parse_query(" OR ".join(word(rng, 9) for _ in range(30))))
    for kind in ("plain", "English", "French", "Russian"):
        some = pages(rng, kind)
        size = sum(len(page.encode()) for page in some)
        rounds = max(1, megabytes * 1_000_000 // size)
        assert not any(map(test, some))
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(rounds):
            for page in some:
                test(page, "http://news.example/2024/a-story.html")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"relevance test, 30 terms, {kind} pages: {rounds * size / wall / 1e6:,.0f} MB/s of text, "
            f"{rounds * size / cpu / 1e6:,.0f} by CPU time (wanted: 200)"
        )


def matching(stories: int, links: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = open_database("bench.db", Path(folder))
        database.migrate()
        index = open_index("index", Path(folder))
        index.add(
            [
                IndexedStory(f"{i:064x}", "", f"http://collected.example/{i}", "collected.example", i)
                for i in range(5_000)
            ]
        )
        urls = [f"http://site{i % 5000}.example/2024/story-{i}.html" for i in range(stories)]
        for start in range(0, stories, 10_000):
            keyed = [(url_key(url), url) for url in urls[start : start + 10_000]]
            rows = [{"url_key": key, "url": url, "stories_id": key} for key, url in keyed]
            with database.begin() as connection:
                connection.execute(tables.story_urls.insert(), rows)
        rng = random.Random(2)
        wanted = [
            rng.choice(urls) + "?utm_source=x" if rng.random() < 0.5 else f"http://new.example/{i}"
            for i in range(links)
        ]
        nothing: Any = None
        tools = Tools(database, index, nothing, nothing, nothing, TopicSettings(), nothing)
        wall, cpu = time.perf_counter(), time.process_time()
        found = 0
        for start in range(0, links, 20):  # a story has some twenty links, which are cleaned and matched together
            cleaned = [clean_url(url) or "" for url in wanted[start : start + 20]]
            found += len(tools.match([url_key(url) for url in cleaned]))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"{links:,} links matched with {stories:,} stories: {links / wall:,.0f} a second, {links / cpu:,.0f} by CPU "
            f"time, {found:,} known (wanted: 10,000)"
        )
        index.close()
        database.close()


def fill_topic(database: Database, topics_id: int, stories: int, links: int) -> None:
    """A topic of three months, whose stories have pages of 5 kB and whose links prefer some stories, as links do."""
    rng = random.Random(3)
    media = [f"site{i}.example" for i in range(3_000)]
    page, text = rng.randbytes(5_000), zstandard.compress(b"A text.")
    for start in range(0, stories, 5_000):
        web, members = [], []
        for i in range(start, min(stories, start + 5_000)):
            day = date(2024, 1, 1) + timedelta(days=rng.randrange(91))
            web.append({
                "stories_id": f"{i:064}", "url": f"http://x.example/{i}", "media_id": media[int(rng.paretovariate(0.5)) % 3_000],
                "title": f"Story {i}", "title_method": "page", "publish_date": day.isoformat(), "date_method": "meta",
                "description": "", "language": "en", "text": text, "page": page,
            })  # fmt: skip
            members.append({
                "topics_id": topics_id, "stories_id": f"{i:064}", "iteration": 0, "state": model.IN, "spidered": True,
                "why": "matched in title", "assume_match": False,
            })  # fmt: skip
        with database.begin() as connection:
            connection.execute(tables.web_stories.insert(), web)
            connection.execute(tables.topic_stories.insert(), members)
    pairs = sorted({(rng.randrange(stories), int(stories * rng.random() ** 3)) for _ in range(links)})
    for start in range(0, len(pairs), 20_000):
        rows = [
            {"topics_id": topics_id, "stories_id": f"{a:064}", "url_key": f"{b:064}", "url": f"http://x.example/{b}",
             "kind": "anchor", "fetched": True, "ref_stories_id": f"{b:064}"}
            for a, b in pairs[start : start + 20_000]
        ]  # fmt: skip
        with database.begin() as connection:
            connection.execute(tables.topic_links.insert(), rows)


def snapshot(stories: int, links: int) -> None:
    """Freeze a topic out of the database, then count, draw and write all timespans."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = open_database("bench.db", folder)
        database.migrate()
        topic = store.create_topic(database, NewTopic("Bench", "x", date(2024, 1, 1), date(2024, 3, 31)), 0.0)
        fill_topic(database, topic.id, stories, links)
        started = time.perf_counter()
        save_snapshot(database, topic)
        frozen = load_snapshot(database, topic)
        freezing = time.perf_counter() - started
        database.close()
        started = time.perf_counter()
        files = write_export(frozen, folder / "out", ["csv", "gexf", "graphml", "svg", "html"], os.cpu_count() or 1)
        writing = time.perf_counter() - started
        size = sum(file.stat().st_size for file in files) / 1e6
    memory = [resource.getrusage(who).ru_maxrss / 1e6 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(time_used(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        f"snapshot of {stories:,} stories and {len(frozen.links):,} links: frozen in {freezing:,.0f} s, "
        f"{len(timespans_of(frozen))} timespans counted and drawn in {writing:,.0f} s ({len(files)} files, {size:,.0f} MB); "
        f"{cpu:,.0f} s of CPU with the filling, {memory[0]:,.2f} GB at most and {memory[1]:,.2f} in each of "
        f"{os.cpu_count()} processes (wanted: minutes, under 4 GB)"
    )


def media_map(sources: int) -> None:
    """Lay out and draw a topic of many sources."""
    figures = many_sources(sources)
    cpu = time.process_time()
    chart = MediaMap(figures)
    laid_out = time.process_time()
    svg, png = to_svg(chart, "Bench"), to_png(chart)
    drawn = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"map of {sources:,} sources ({len(chart.apart):,} of them unlinked) with {len(chart.edges):,} links: laid out in "
        f"{laid_out - cpu:,.1f} s, drawn as SVG and PNG in {drawn - laid_out:,.1f} s of CPU "
        f"({(len(svg) + len(png)) / 1e6:,.1f} MB); {memory:,.2f} GB at most (wanted: under 20 s and 1 GB)"
    )


def time_used(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=1_000_000, help="known stories that links are matched with")
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--sources", type=int, default=5_000, help="sources of the map")
    parser.add_argument("--snapshot-stories", type=int, default=100_000)
    parser.add_argument("--snapshot-links", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["relevance", "matching", "map", "snapshot"], help="one of the four")
    options = parser.parse_args()
    if options.only in (None, "relevance"):
        relevance(200)
    if options.only in (None, "matching"):
        matching(options.stories, options.links)
    if options.only in (None, "map"):
        media_map(options.sources)
    if options.only in (None, "snapshot"):
        snapshot(options.snapshot_stories, options.snapshot_links)


if __name__ == "__main__":
    main()

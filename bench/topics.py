"""Topics at scale: the relevance test, matching links with known stories, and the figures of a large snapshot.

`make bench-topics`; STORIES and LINKS make it smaller.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from tearsheet.engines.database import open_database
from tearsheet.query import parse_query
from tearsheet.topics import spider_store, tables
from tearsheet.topics.addresses import url_key
from tearsheet.topics.relevance import RawTest
from tearsheet.topics.snapshot_store import Frozen, FrozenStory
from tearsheet.topics.timespans import Timespan, all_figures, figures

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(rng: random.Random, length: int) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(length))


def relevance(megabytes: int) -> None:
    rng = random.Random(1)
    words = [word(rng, rng.randint(2, 10)) for _ in range(5_000)]
    test = RawTest(parse_query(" OR ".join(word(rng, 9) for _ in range(30))))
    pages = [" ".join(rng.choices(words, k=30_000)) for _ in range(20)]
    size = sum(map(len, pages))
    rounds = max(1, megabytes * 1_000_000 // size)
    assert not any(map(test, pages))
    start = time.perf_counter()
    for _ in range(rounds):
        for page in pages:
            test(page)
    seconds = time.perf_counter() - start
    print(f"relevance test, 30 terms: {rounds * size / seconds / 1e6:,.0f} MB/s of text (wanted: 200)")


def matching(stories: int, links: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = open_database("sqlite:///bench.db", Path(folder))
        database.migrate()
        urls = [f"http://site{i % 5000}.example/2024/story-{i}.html" for i in range(stories)]
        with database.begin() as connection:
            for start in range(0, stories, 10_000):
                rows = [
                    {"url_key": url_key(url), "url": url, "stories_id": url_key(url)}
                    for url in urls[start : start + 10_000]
                ]
                connection.execute(tables.story_urls.insert(), rows)
        rng = random.Random(2)
        wanted = [
            rng.choice(urls) + "?utm_source=x" if rng.random() < 0.5 else f"http://new.example/{i}"
            for i in range(links)
        ]
        started = time.perf_counter()
        found = 0
        for start in range(0, links, 20):  # a story has some twenty links, which are matched together
            found += len(spider_store.match_stories(database, [url_key(url) for url in wanted[start : start + 20]]))
        seconds = time.perf_counter() - started
        print(
            f"{links:,} links matched with {stories:,} stories: {links / seconds:,.0f} a second, {found:,} known "
            "(wanted: 10,000)"
        )
        database.close()


def snapshot(stories: int, links: int) -> None:
    rng = random.Random(3)
    media = [f"site{i}.example" for i in range(3_000)]
    frozen = Frozen(
        "Bench", "x", date(2024, 1, 1), date(2024, 3, 31), (), (),
        tuple(
            FrozenStory(f"{i:064}", f"http://x.example/{i}", media[int(rng.paretovariate(0.5)) % 3_000], f"Story {i}", "page",
                        date(2024, 1, 1) + timedelta(days=rng.randrange(91)), "meta", "en", 0, "matched in title")
            for i in range(stories)
        ),
        tuple(sorted({(rng.randrange(stories), int(stories * rng.random() ** 3)) for _ in range(links)})),
    )  # fmt: skip
    started = time.perf_counter()
    overall = figures(frozen, Timespan("overall", None, None))
    alone = time.perf_counter() - started
    every = all_figures(frozen)
    seconds = time.perf_counter() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"snapshot of {stories:,} stories, {len(overall.story_links):,} links between sources: overall {alone:,.1f} s, "
        f"all {len(every)} timespans {seconds:,.1f} s, {memory:,.2f} GB at most (wanted: minutes, under 4 GB)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=1_000_000, help="known stories that links are matched with")
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--snapshot-stories", type=int, default=100_000)
    parser.add_argument("--snapshot-links", type=int, default=1_000_000)
    options = parser.parse_args()
    relevance(500)
    matching(options.stories, options.links)
    snapshot(options.snapshot_stories, options.snapshot_links)


if __name__ == "__main__":
    main()

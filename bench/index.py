"""The embedded index side by side with SQLite FTS5: writing, size, and every kind of question.

    make bench-index STORIES=1000000
    make bench-index STORIES=1000000 KEEP=/tmp/million    (asks again what is kept there, without writing it anew)

Both get the same synthetic stories (words by Zipf's law, 400 a story, 2,000 domains, three years, ten languages), decide who was
first by the same id, and keep the text in zstd. Each writes with one thread of its own. FTS5 answers what it can.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import zstandard

from tearsheet.engines.index.port import IndexedStory
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.query import Query, parse_query

BATCH = 500
WORDS = 60_000
LANGUAGES = "en es fr de pt it ru ar hi tr".split()
START = 1_700_000_000_000_000_000

_MATCHED = "FROM words w JOIN stories s ON s.docno = w.rowid WHERE words MATCH ?"
JOINED = f"SELECT docno {_MATCHED}"
BY_DAY = f"SELECT published, count(*) {_MATCHED} GROUP BY 1"
BY_WEEK = f"SELECT domain, strftime('%Y-%W', published), count(*) {_MATCHED} GROUP BY 1, 2"
TOP_SOURCES = f"SELECT domain, count(*) {_MATCHED} GROUP BY 1 ORDER BY 2 DESC LIMIT 20"
INSERT = """INSERT OR IGNORE INTO stories (id, story_id, url, domain, language, published, indexed, text)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


class Newsroom:
    """Makes stories from a seed: always the same ones."""

    def __init__(self, seed: int = 1) -> None:
        self.random = np.random.default_rng(seed)
        syllables = "ka lo mi ter an ver sol din gra por ent ic al men tu ra".split()
        plain = random.Random(seed)
        self.words = ["the", "of", "and", "to", "in"]
        seen = set(self.words)
        while len(self.words) < WORDS:
            word = "".join(plain.choice(syllables) for _ in range(plain.randint(2, 5)))
            if word not in seen:
                seen.add(word)
                self.words.append(word)
        ranks = 1 / np.arange(1, WORDS + 1) ** 1.05
        self.chances = np.cumsum(ranks / ranks.sum())
        self.table = np.array(self.words, dtype=object)

    def text(self, count: int) -> str:
        places = np.searchsorted(self.chances, self.random.random(count))
        words = self.table[np.minimum(places, WORDS - 1)]
        return ". ".join(" ".join(words[i : i + 16]).capitalize() for i in range(0, count, 16)) + "."

    def stories(self, count: int) -> Iterator[list[IndexedStory]]:
        first = date(2023, 1, 1)
        for start in range(0, count, BATCH):
            size = min(BATCH, count - start)
            domains = self.random.zipf(1.3, size) % 2000
            days, languages = self.random.integers(0, 1095, size), self.random.integers(0, len(LANGUAGES), size)
            yield [
                IndexedStory(
                    id=f"{start + i:064x}",
                    story_id=f"s{start + i}",
                    url=f"https://www.site{domains[i]}.example/news/{start + i}",
                    canonical_domain=f"site{domains[i]}.example",
                    indexed_date=START + (start + i) * 1_000_000,
                    article_title=self.text(9),
                    text_content=self.text(400),
                    language=LANGUAGES[languages[i]],
                    publication_date=(first + timedelta(days=int(days[i]))).isoformat(),
                )
                for i in range(size)
            ]


class Fts5:
    """The same stories in SQLite FTS5: a table that decides who was first and keeps the text, and an index without content."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(
            """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536;
            CREATE TABLE IF NOT EXISTS stories (docno INTEGER PRIMARY KEY, id BLOB UNIQUE, story_id TEXT, url TEXT,
              domain TEXT, language TEXT, published TEXT, indexed INTEGER, text BLOB);
            CREATE INDEX IF NOT EXISTS by_domain ON stories (domain); CREATE INDEX IF NOT EXISTS by_day ON stories (published);
            CREATE INDEX IF NOT EXISTS by_time ON stories (indexed);
            CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, text, content='');
            """
        )

    def add(self, stories: list[IndexedStory]) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for one in stories:
            packed = zstandard.compress(one.text_content.encode(), 3)
            row = (
                bytes.fromhex(one.id),
                one.story_id,
                one.url,
                one.canonical_domain,
                one.language,
                one.publication_date,
            )
            done = self.connection.execute(
                INSERT,
                (*row, one.indexed_date, packed),
            )
            if done.rowcount:
                values = (done.lastrowid, one.article_title, one.text_content)
                self.connection.execute("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", values)
        self.connection.execute("COMMIT")

    def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
        return self.connection.execute(statement, values).fetchall()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--stories", type=int, default=50_000)
    options.add_argument("--rounds", type=int, default=15, help="how often each question is asked")
    options.add_argument("--keep", help="folder to keep the indexes in, and to use again")
    arguments = options.parse_args()
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix="bench-index-"))
    try:
        run(folder, arguments.stories, arguments.rounds)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder)


def run(folder: Path, count: int, rounds: int) -> None:
    room = Newsroom()
    written = folder / "written.json"
    if written.exists():
        figures = json.loads(written.read_text())
    else:
        figures = write(folder, room, count)
        written.write_text(json.dumps(figures))
    ours, theirs = TantivyIndex(folder / "ours"), Fts5(folder / "fts5.db")
    report(figures)
    warm(folder)
    sizes(folder, theirs, figures["stories"])
    ask(room, ours, theirs, rounds)
    ours.close()


def write(folder: Path, room: Newsroom, count: int) -> dict[str, float]:
    """The whole path of each, turn by turn, so that a busy machine slows both alike.

    Ours merges in threads of its own, also during the turns of FTS5: of processor time, ours is all that FTS5 and the making
    of stories did not take.
    """
    for left_over in (folder / "ours", folder / "fts5.db"):
        if left_over.exists():
            raise SystemExit(f"{left_over} is from a run that was stopped; remove it, or keep to another folder")
    ours, theirs = TantivyIndex(folder / "ours"), Fts5(folder / "fts5.db")
    wall, others_cpu = {"ours": 0.0, "fts5": 0.0}, {"making": 0.0, "fts5": 0.0}
    start, done, making = time.process_time(), 0, time.thread_time()
    for batch in room.stories(count):
        others_cpu["making"] += time.thread_time() - making
        begin = time.perf_counter()
        ours.add(batch)
        middle, thread = time.perf_counter(), time.thread_time()
        theirs.add(batch)
        wall["ours"] += middle - begin
        wall["fts5"] += time.perf_counter() - middle
        making = time.thread_time()
        others_cpu["fts5"] += making - thread
        done += len(batch)
        if done % 50_000 == 0:
            print(f"  {done:,} stories", file=sys.stderr)
    begin = time.perf_counter()
    ours.refresh()
    wall["ours"] += time.perf_counter() - begin
    ours.close()
    cpu = time.process_time() - start - sum(others_cpu.values())
    return {
        "stories": count,
        "ours": wall["ours"],
        "fts5": wall["fts5"],
        "ours_cpu": cpu,
        "fts5_cpu": others_cpu["fts5"],
        "duplicate": duplicate_seconds(folder),
    }


def duplicate_seconds(folder: Path) -> float:
    """What it takes to refuse a story that is there."""
    ours, duplicates = TantivyIndex(folder / "ours"), next(Newsroom().stories(BATCH))
    begin = time.perf_counter()
    ours.add(duplicates)
    seconds = (time.perf_counter() - begin) / len(duplicates)
    ours.close()
    return seconds


def report(figures: dict[str, float]) -> None:
    count, ours, fts5 = figures["stories"], figures["ours"], figures["fts5"]
    ours_cpu, fts5_cpu = figures["ours_cpu"], figures["fts5_cpu"]
    print(f"{count:,} stories of 400 words")
    print(f"{'writing, whole path':34} {'tearsheet':>16} {'fts5':>16}   times as fast")
    print(f"{'  stories a second':34} {count / ours:16,.0f} {count / fts5:16,.0f}   {fts5 / ours:.2f}")
    print(
        f"{'  of processor time, with merging':34} {count / ours_cpu:16,.0f} {count / fts5_cpu:16,.0f}   {fts5_cpu / ours_cpu:.2f}"
    )
    print(f"{'  µs to refuse a duplicate':34} {figures['duplicate'] * 1e6:16.0f}")


def warm(folder: Path) -> None:
    """Read all files once: a kept index may have left the memory, and then the first questions would measure the disk."""
    for file in [folder / "fts5.db", *(path for path in (folder / "ours").rglob("*") if path.is_file())]:
        with file.open("rb", buffering=0) as opened:
            while opened.read(1 << 24):
                pass


def sizes(folder: Path, theirs: Fts5, stories: float) -> None:
    count = int(stories)
    words = sum(file.stat().st_size for file in (folder / "ours" / "words").iterdir())
    kept = (folder / "ours" / "stories.db").stat().st_size
    theirs.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other = (folder / "fts5.db").stat().st_size
    print(
        f"{'  bytes a story (words + stories)':34} {f'{words // count:,} + {kept // count:,}':>16} {other // count:16,}"
    )


def ask(room: Newsroom, ours: TantivyIndex, theirs: Fts5, rounds: int) -> None:
    common, middle, rare = room.words[5:40], room.words[200:1200], room.words[20_000:50_000]
    pick = random.Random(3)

    def match(text: str) -> list[tuple[object, ...]]:
        return theirs.rows("SELECT count(*) FROM words WHERE words MATCH ?", text)

    def both(make: Callable[[], str]) -> tuple[Callable[[], object], Callable[[], object]]:
        """Count by one query in both languages, which here are the same."""
        return (lambda: ours.count(parse_query(make()))), (lambda: match(make()))

    def question(make: Callable[[], str], answer: Callable[[Query], object]) -> Callable[[], object]:
        return lambda: answer(parse_query(make()))

    a_common, a_middle, a_rare = (
        (lambda: pick.choice(common)),
        (lambda: pick.choice(middle)),
        (lambda: pick.choice(rare)),
    )
    month = "publication_date:[2024-03-01 TO 2024-03-30]"
    some_domains = [f"site{n}.example" for n in range(500)]

    def second_page(query: Query) -> object:
        return ours.search(query, text=False, token=ours.search(query, text=False).next_token)

    rows: list[tuple[str, float, Callable[[], object], Callable[[], object] | None]] = [
        ("rare word", 20, *both(a_rare)),
        ("common word", 20, *both(a_common)),
        ("AND of three", 20, *both(lambda: f"{a_common()} AND {a_middle()} AND {a_middle()}")),
        ("OR of 30 words", 20, *both(lambda: " OR ".join(pick.sample(middle, 30)))),
        ("OR of 30 common words", 150, *both(lambda: " OR ".join(pick.sample(common, 30)))),
        ("phrase", 20, *both(lambda: f'"{a_middle()} {a_middle()}"')),
        ("phrase of very common words", 150, *both(lambda: f'"{pick.choice(common[:5])} {pick.choice(common[:5])}"')),
        ("distance of 5", 20, question(lambda: f'"{a_middle()} {a_middle()}"~5', ours.count),
         lambda: match(f"NEAR({a_middle()} {a_middle()}, 5)")),
        ("distance of three words", 150,
         question(lambda: f'"{a_middle()} {a_middle()} {a_middle()}"~5', ours.count), None),
        ("broad prefix", 150, *both(lambda: pick.choice(["kalo", "mite", "verso", "gra"]) + "*")),
        ("word NOT common word", 20, *both(lambda: f"{a_middle()} NOT {a_common()}")),
        ("everything NOT common word", 20, question(lambda: f"NOT {a_common()}", ours.count), None),
        ("30 days and a common word", 20, question(lambda: f"{a_common()} {month}", ours.count),
         lambda: theirs.rows(f"{JOINED} AND published BETWEEN '2024-03-01' AND '2024-03-30'", a_common())),
        ("newest 20 of a common word", 20, question(a_common, lambda q: ours.search(q, text=False)),
         lambda: theirs.rows(f"{JOINED} ORDER BY indexed DESC LIMIT 20", a_common())),
        ("that and the page after it", 40, question(a_common, second_page), None),
        ("best 20 of a common word", 20, question(a_common, lambda q: ours.search(q, text=False, order="relevance")),
         lambda: theirs.rows("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", a_common())),
        ("by day, common word", 50, question(a_common, ours.over_time), lambda: theirs.rows(BY_DAY, a_common())),
        ("by day, everything", 50, question(lambda: "*", ours.over_time),
         lambda: theirs.rows("SELECT published, count(*) FROM stories GROUP BY 1")),
        ("top 20 sources, common word", 50, question(a_common, lambda q: ours.top(q, "canonical_domain")),
         lambda: theirs.rows(TOP_SOURCES, a_common())),
        ("source by week, common word", 200,
         question(a_common, lambda q: ours.top_over_time(q, "canonical_domain", "week", 2000)),
         lambda: theirs.rows(BY_WEEK, a_common())),
        ("500 sources and a common word", 50,
         question(a_common, lambda q: ours.count(q.within(domains=some_domains))), None),
        ("random sample of 1,000", 1000, question(a_common, lambda q: ours.sample(q, 1000)), None),
        ("address begins so", 20,
         question(lambda: f"url:https://www.site{pick.randrange(2000)}.example/*", ours.count), None),
        ("address contains (limited use)", 5000, question(lambda: f"url:*/{pick.randrange(10_000)}*", ours.count), None),
    ]  # fmt: skip
    print(f"{'milliseconds, median / p95':34} {'tearsheet':>16} {'processor':>10} {'fts5':>16}   limit")
    for name, limit, mine, other in rows:
        taken, processor = measure(mine, rounds)
        fts5 = measure(other, rounds)[0] if other else "-"
        print(f"  {name:32} {taken:>16} {processor:>10} {fts5:>16}   {limit:g}", flush=True)


def measure(question: Callable[[], object], rounds: int) -> tuple[str, str]:
    """Milliseconds by the clock (median and 95th percentile), and by the processor, which a busy machine leaves alone."""
    question()
    clock: list[float] = []
    processor: list[float] = []
    while len(clock) < rounds and sum(clock) < 20_000:
        begin, begin_processor = time.perf_counter(), time.process_time()
        question()
        processor.append((time.process_time() - begin_processor) * 1000)
        clock.append((time.perf_counter() - begin) * 1000)
    clock.sort()
    high = clock[max(0, int(len(clock) * 0.95) - 1)]
    return f"{statistics.median(clock):,.1f} / {high:,.1f}", f"{statistics.median(processor):,.1f}"


if __name__ == "__main__":
    main()

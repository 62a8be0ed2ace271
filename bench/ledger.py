"""The ledger at 10 million rows: what questions and `/metrics` take, what recording costs, and how quickly it is folded.

    make bench-ledger                  (ROWS=100000 for a quick look)

Stories of 2,000 domains and 6,000 feeds end over 90 days, four of five of them archived. On SQLite, and on PostgreSQL if the test
server of `make engines-up` is up. A time is the median of some calls; a time of the processor is that of this process.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, text

from tearsheet.app import Services
from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.settings import load_settings
from tearsheet.web.app import create_app
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_entry import LedgerEntry
from tearsheet.work.ledger_tables import outcomes

CALLS = 9
DAYS = 90
URLS = Path(__file__).parents[1] / "engines" / "urls.sh"

_SERIES = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :rows - 1)",
    "postgresql": "WITH n(i) AS (SELECT generate_series(0, :rows - 1))",
}
_ID = {
    "sqlite": "printf('%08x-0000-5000-8000-000000000000', i)",
    "postgresql": "lpad(to_hex(i), 8, '0') || '-0000-5000-8000-000000000000'",
}
_TIME = {
    "sqlite": "datetime(:first + CAST(i AS REAL) * :span / :rows, 'unixepoch') || '.000000'",
    "postgresql": "to_timestamp(:first + i::double precision * :span / :rows)",
}
_FILL = """
INSERT INTO outcomes (story_id, stage, status, reason, detail, source_id, feed_id, domain, url, link, tries, happened_at)
{series} SELECT {id}, CASE i % 25 WHEN 0 THEN 'fetcher' WHEN 1 THEN 'fetcher' WHEN 2 THEN 'parser' WHEN 3 THEN 'fetcher'
  WHEN 4 THEN 'importer' ELSE 'archiver' END,
CASE WHEN i % 25 IN (0, 1, 2, 4) THEN 'dropped' WHEN i % 25 = 3 THEN 'retrying' ELSE 'done' END,
CASE i % 25 WHEN 0 THEN 'http-404' WHEN 1 THEN 'http-5xx' WHEN 2 THEN 'too-short' WHEN 3 THEN 'noconn' WHEN 4 THEN 'dups'
  ELSE CASE WHEN i % 1000003 = 5 THEN 'rare' ELSE '' END END,
'', i * 31 % 2000, i * 31 % 6000, 'paper' || (i * 31 % 2000) || '.example',
'https://paper' || (i * 31 % 2000) || '.example/2026/news/' || i || '/some-words-of-a-headline.html',
CASE WHEN i % 10 = 0 THEN 'https://feeds.example/r/' || i ELSE '' END, 1, {time} FROM n
"""
_SUM_DAYS = """
INSERT INTO outcome_days SELECT {day}, stage, status, reason, source_id, feed_id, domain, COUNT(*) FROM outcomes
GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
_DAY = {"sqlite": "substr(happened_at, 1, 10)", "postgresql": "to_char(happened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"}
_SUM_TOTALS = """
INSERT INTO outcome_totals SELECT stage, status, reason, SUM(stories), SUM(stories) FROM outcome_days GROUP BY 1, 2, 3
"""


def fill(database: Database, rows: int) -> None:
    """Write rows and their sums in bulk: one by one would take hours."""
    with database.begin() as db:
        kind = db.dialect.name
        indexes = list(outcomes.indexes)
        for index in indexes:
            index.drop(db)
        values = {"rows": rows, "first": time.time() - DAYS * 86_400 + 3600, "span": DAYS * 86_400 - 7200}
        db.execute(text(_FILL.format(series=_SERIES[kind], id=_ID[kind], time=_TIME[kind])), values)
        for index in indexes:
            index.create(db)
        db.execute(text(_SUM_DAYS.format(day=_DAY[kind])))
        db.execute(text(_SUM_TOTALS))
    if kind == "postgresql":
        with database.begin() as db:
            db.execute(text("ANALYZE"))


def new_entries(count: int, chance: random.Random) -> list[LedgerEntry]:
    """Stories that the ledger has not seen."""
    found = []
    for _ in range(count):
        number = chance.randrange(2_000)
        domain = f"paper{number}.example"
        status, reason = chance.choice([("done", "")] * 4 + [("dropped", "http-404")])
        url = f"https://{domain}/2026/news/{chance.getrandbits(64):x}.html"
        story = str(uuid.UUID(int=chance.getrandbits(128)))
        found.append(LedgerEntry(story, "archiver", status, reason, "", number, number, domain, url))
    return found


def milliseconds(call: Callable[[], object]) -> float:
    """The median of some calls."""
    taken = []
    for _ in range(CALLS):
        begun = time.perf_counter()
        call()
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def recording(ledger: Ledger, size: int, calls: int) -> str:
    """What a story costs when so many are recorded at once."""
    chance = random.Random(size)
    batches = [new_entries(size, chance) for _ in range(calls)]
    begun, used = time.perf_counter(), time.process_time()
    for batch in batches:
        ledger.record(batch)
    stories = size * calls
    processor = (time.process_time() - used) / stories * 1e6
    return f"{processor:,.0f} µs of processor, {(time.perf_counter() - begun) / stories * 1e6:,.0f} µs in all"


def measure(services: Services, rows: int) -> Iterator[tuple[str, str]]:
    """Each figure with its name."""
    ledger, now = services.ledger, utc_now()
    begun = time.perf_counter()
    fill(services.database, rows)
    yield f"writing {rows:,} rows in bulk", f"{time.perf_counter() - begun:,.0f} s"
    with TestClient(create_app(services), client=("127.0.0.1", 1), base_url="http://127.0.0.1") as client:
        assert client.get("/metrics").status_code == 200
        yield "/metrics", f"{milliseconds(lambda: client.get('/metrics')):,.1f} ms"
    calls: dict[str, Callable[[], object]] = {
        "counts()": ledger.counts,
        "recorded()": ledger.recorded,
        "counts of 7 days": lambda: ledger.counts(now - timedelta(days=7)),
        "counts of a domain": lambda: ledger.counts(domain="paper7.example"),
        "a story by its address": lambda: ledger.explain(
            "https://paper1240.example/2026/news/40/some-words-of-a-headline.html"
        ),
        "a story by its link": lambda: ledger.explain("https://feeds.example/r/40"),
        "the newest of a rare reason": lambda: ledger.find({"reason": "rare"}),
        "the newest that were dropped": lambda: ledger.find({"status": "dropped"}),
        "sums by source": lambda: ledger.sums("source"),
    }
    for name, call in calls.items():
        assert call()
        yield name, f"{milliseconds(call):,.1f} ms"
    for size, times in ((1, 200), (100, 30), (1000, 5)):
        yield f"recording {size} at once, each", recording(ledger, size, times)
    begun = time.perf_counter()
    folded = ledger.fold(DAYS - 1, lambda: time.perf_counter() - begun > 10)
    yield "folding", f"{folded / (time.perf_counter() - begun):,.0f} rows a second"


def postgresql_url() -> str:
    """Where the test server would be."""
    found = re.search(r"TEARSHEET_TEST_POSTGRESQL:=(.*?)\}", URLS.read_text("utf-8"))
    return os.environ.get("TEARSHEET_TEST_POSTGRESQL") or (found[1] if found else "")


@contextmanager
def own_postgresql() -> Iterator[str | None]:
    """The URL of a new database on the test server, which is dropped afterwards; None when the server is not up."""
    import psycopg

    name = f"bench_{uuid.uuid4().hex}"
    try:
        admin = psycopg.connect(postgresql_url(), autocommit=True, connect_timeout=2)
    except psycopg.Error:
        yield None
        return
    with admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield urlsplit(postgresql_url())._replace(path=f"/{name}").geturl()
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def size_of(db: Connection, data: Path) -> int:
    """How much room the database takes."""
    if db.dialect.name == "postgresql":
        return int(db.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
    return (data / "tearsheet.db").stat().st_size


def report(name: str, rows: int, data: Path, flags: dict[str, str]) -> None:
    """Measure one engine and print the table."""
    table = Table("what", "figure", title=f"{name}, {rows:,} rows", title_justify="left")
    with Services(load_settings(data, flags, environ={})) as services:
        for what, figure in measure(services, rows):
            table.add_row(what, figure)
        with services.database.read() as db:
            table.add_row("size", f"{size_of(db, data) / 1e6:,.0f} MB")
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="The ledger when it is large.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=("sqlite", "postgresql"), help="one engine")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.only != "postgresql":
            report("SQLite", arguments.rows, Path(folder) / "sqlite", {})
            with suppress(FileNotFoundError):
                (Path(folder) / "sqlite" / "tearsheet.db").unlink()
        if arguments.only == "sqlite":
            return
        with own_postgresql() as url:
            if url is None:
                Console(stderr=True).print("PostgreSQL is not running: `make engines-up ENGINES=postgresql` starts it")
            else:
                report("PostgreSQL", arguments.rows, Path(folder) / "postgresql", {"engines.database": url})


if __name__ == "__main__":
    main()

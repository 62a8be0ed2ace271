from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, text

from tearsheet.engines.database import open_database
from tearsheet.work.ledger import Count, Ledger
from tearsheet.work.ledger_entry import LedgerEntry
from tearsheet.work.ledger_tables import earlier_outcomes, outcome_days, outcomes
from tests.support.databases import DATABASES, migrate_to

DAY = 86_400
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()


class Turned(Ledger):
    """A ledger whose clock the test turns."""

    def __init__(self, database) -> None:
        self.now = BEGIN
        super().__init__(database, clock=lambda: self.now)


@pytest.fixture(params=DATABASES)
def harness(request, tmp_path):
    ready = request.param()
    ready.prepare(tmp_path)
    yield ready
    ready.remove()


@pytest.fixture
def ledger(harness):
    database = harness.open()
    database.migrate()
    yield Turned(database)
    database.close()


def entry(story: str, status: str = "dropped", reason: str = "too-short", **more) -> LedgerEntry:
    named = {"url": f"http://a.example/{story}", "domain": "a.example"} | more
    return LedgerEntry(story, "parser", status, reason, **named)


def rows_in(ledger: Ledger, table) -> int:
    with ledger._database.read() as db:
        return db.execute(select(func.count()).select_from(table)).scalar_one()


def test_a_story_that_is_seen_twice_is_counted_once(ledger):
    ledger.record([entry("1"), entry("2")])
    ledger.record([entry("1"), entry("1")])
    assert ledger.counts() == ledger.recorded() == [Count("parser", "dropped", "too-short", 2)]
    assert rows_in(ledger, earlier_outcomes) == 0


def test_the_last_outcome_of_a_story_at_a_stage_counts(ledger):
    ledger.record([entry("1", "retrying", "noconn")])
    ledger.record([entry("1", "recovered", "try 2", tries=2)])
    assert ledger.counts() == [Count("parser", "recovered", "try 2", 1)]


def test_every_try_is_kept_with_its_cause_and_its_number(ledger):
    tries = [("noconn", "bad certificate"), ("noconn", "bad certificate"), ("http-5xx", "502")]
    for number, (reason, detail) in enumerate(tries, 1):
        ledger.record([entry("1", "retrying", reason, detail=detail, tries=number)])
        ledger.record([entry("1", "retrying", reason, detail=detail, tries=number)])  # delivered again
        ledger.now += 60
    ledger.record([entry("1", "dropped", "skipped", tries=4)])
    assert [(one.tries, one.status, one.reason, one.detail) for one in ledger.explain("http://a.example/1")] == [
        *((number, "retrying", *cause) for number, cause in enumerate(tries, 1)),
        (4, "dropped", "skipped", ""),
    ]
    assert ledger.counts() == [Count("parser", "dropped", "skipped", 1)]


def test_what_was_recorded_never_falls(ledger):
    seen: Counter[tuple[str, str]] = Counter()
    for day in range(4):
        for step in (
            entry("1", "retrying", "noconn", tries=day + 1),
            entry(f"new {day}"),
            entry("1", "dropped", "noconn"),
        ):
            ledger.record([step])
            now = Counter({(count.status, count.reason): count.stories for count in ledger.recorded()})
            assert now >= seen
            seen = now
        ledger.now += DAY
        ledger.fold(keep_days=1)
    assert seen == {("retrying", "noconn"): 4, ("dropped", "noconn"): 4, ("dropped", "too-short"): 4}


def test_a_story_is_found_by_its_link_and_by_its_address(ledger):
    final, link = "https://paper.example/2026/a", "http://feed.example/r?1"
    moved = {"link": link, "url": final}
    ledger.record(
        [LedgerEntry("1", "fetcher", "recovered", "try 2", url=link), entry("1", detail="12 characters", **moved)]
    )
    ledger.record([entry("2")])
    for address in (final, link):
        found = ledger.explain(address)
        assert {(one.stage, one.reason) for one in found} == {("fetcher", "try 2"), ("parser", "too-short")}
        assert ("parser", link) in [(one.stage, one.link) for one in ledger.find({"url": address})]
    assert [one.stage for one in ledger.find({"url": final, "status": "dropped"})] == ["parser"]
    assert ledger.explain("http://a.example/9") == ledger.explain("") == []


def test_folding_keeps_the_sums_and_drops_the_rows(ledger):
    ledger.record([entry(str(n)) for n in range(5)] + [entry("s", source_id=3, feed_id=4)])
    ledger.record([entry("s", reason="other", source_id=3, feed_id=4)])
    ledger.now += 10 * DAY
    ledger.record([entry("new")])
    before = {by: ledger.sums(by) for by in ("source", "feed", "domain", "day")}, ledger.counts(), ledger.recorded()
    assert ledger.fold(keep_days=7) == 6
    assert (
        {by: ledger.sums(by) for by in ("source", "feed", "domain", "day")},
        ledger.counts(),
        ledger.recorded(),
    ) == before
    assert [row.url for row in ledger.find({})] == ["http://a.example/new"]
    assert rows_in(ledger, earlier_outcomes) == 0
    assert ledger.fold(keep_days=7) == 0


def test_folding_goes_on_where_it_was_stopped(ledger, monkeypatch):
    monkeypatch.setattr("tearsheet.work.ledger._FOLDED_AT_ONCE", 2)
    ledger.record([entry(str(n)) for n in range(5)])
    ledger.now += 10 * DAY
    assert ledger.fold(7, stopped=lambda: True) == 2
    assert ledger.fold(7) == 3
    assert ledger.counts() == [Count("parser", "dropped", "too-short", 5)]


def test_folding_keeps_whole_days(ledger):
    ledger.record([entry("noon")])
    ledger.now += 7 * DAY
    assert ledger.fold(keep_days=7) == 0
    ledger.now += DAY
    assert ledger.fold(keep_days=7) == 1


def test_outcomes_are_summed_up_by_source_feed_domain_and_day(ledger):
    ledger.record([entry("1", source_id=3, feed_id=7), entry("2", source_id=3, feed_id=8)])
    ledger.now += DAY
    ledger.record([entry("3"), entry("1", "done", "", source_id=3, feed_id=7)])

    def sums(by):
        return [(row.of, row.status, row.stories) for row in ledger.sums(by)]

    assert sums("source") == [("0", "dropped", 1), ("3", "done", 1), ("3", "dropped", 1)]
    assert sums("feed") == [("0", "dropped", 1), ("7", "done", 1), ("8", "dropped", 1)]
    assert sums("domain") == [("a.example", "dropped", 2), ("a.example", "done", 1)]
    assert sums("day") == [("2026-03-02", "done", 1), ("2026-03-02", "dropped", 1), ("2026-03-01", "dropped", 1)]
    assert len(ledger.sums("day", limit=1)) == 1
    assert rows_in(ledger, outcome_days) == 3, "a sum that has become nothing is no row"


def test_counts_can_be_limited_to_the_last_days_and_to_a_domain(ledger):
    ledger.record([entry("old")])
    ledger.now += 10 * DAY
    ledger.record([entry("new"), entry("other", domain="b.example")])
    since = datetime.fromtimestamp(ledger.now, UTC) - timedelta(days=2)
    assert ledger.counts(since) == [Count("parser", "dropped", "too-short", 2)]
    assert ledger.counts(since, domain="a.example") == [Count("parser", "dropped", "too-short", 1)]
    assert ledger.counts(until=since) == [Count("parser", "dropped", "too-short", 1)]


def test_what_others_wrote_can_be_stored_whatever_it_is(ledger):
    odd = "a\0b\ud800" + "x" * 3000
    ledger.record([LedgerEntry("1", "parser", "dropped", odd, odd, 2**63, 2**64, odd, odd, odd + "y")])
    (found,) = ledger.find({})
    assert found.reason.startswith("a\N{REPLACEMENT CHARACTER}b?x") and len(found.reason) == 80
    assert (len(found.detail), len(found.url), len(found.domain)) == (500, 2048, 255)
    assert ledger.sums("source")[0].of == "0"


STEPS = st.lists(
    st.one_of(
        st.lists(
            st.tuples(st.integers(0, 5), st.sampled_from(["done", "dropped", "retrying"]), st.integers(1, 2)),
            max_size=4,
        ),
        st.integers(0, 2),
    ),
    max_size=12,
)


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_sums_agree_with_the_rows_that_were_ever_written(tmp_path, steps):
    """A step records some outcomes, or turns the clock by some days and folds."""
    database = open_database("p.db", tmp_path)
    database.migrate()
    with database.begin() as db:
        for table in ("outcomes", "earlier_outcomes", "outcome_days", "outcome_totals"):
            db.execute(text(f"DELETE FROM {table}"))
    ledger = Turned(database)
    rows: dict[str, tuple[str, float]] = {}
    folded: Counter[tuple[str, str]] = Counter()
    for step in steps:
        if isinstance(step, int):
            ledger.now += step * DAY
            oldest = (ledger.now // DAY - 3) * DAY
            for story in [story for story, (_, at) in rows.items() if at < oldest]:
                status, at = rows.pop(story)
                folded[status, datetime.fromtimestamp(at, UTC).date().isoformat()] += 1
            ledger.fold(keep_days=3)
        else:
            ledger.record(
                [entry(str(story), status, "r", tries=tries, source_id=story % 2) for story, status, tries in step]
            )
            rows |= {str(story): (status, ledger.now) for story, status, _ in step}
    expected = folded + Counter(
        (status, datetime.fromtimestamp(at, UTC).date().isoformat()) for status, at in rows.values()
    )
    assert Counter({(row.status, row.of): row.stories for row in ledger.sums("day")}) == expected
    by_status: Counter[str] = Counter()
    for (status, _), stories in expected.items():
        by_status[status] += stories
    assert Counter({count.status: count.stories for count in ledger.counts()}) == by_status
    assert rows_in(ledger, outcomes) == len(rows)
    database.close()


def test_processes_that_record_the_same_stories_at_once_count_them_once(harness, ledger):
    """As when a broker hands out messages again while they are still at work."""
    failures: list[BaseException] = []

    def work(order: int) -> None:
        mine = harness.open()
        try:
            for batch in range(10):
                stories = [entry(f"{batch}-{n}") for n in range(10)]
                Ledger(mine, clock=lambda: BEGIN).record(stories[::order])
        except BaseException as error:
            failures.append(error)
        finally:
            mine.close()

    threads = [threading.Thread(target=work, args=(order,)) for order in (1, -1, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert ledger.counts() == ledger.recorded() == [Count("parser", "dropped", "too-short", 100)]


def fold_and_kill(tmp_path, rounds: int, stories: int) -> None:
    database = open_database("t.db", tmp_path)
    database.migrate()
    ledger = Turned(database)
    ledger.record([entry(str(n), source_id=n % 3) for n in range(stories)])
    before = ledger.sums("source"), ledger.counts(), ledger.recorded()
    left = [stories]
    for _ in range(rounds):
        command = [sys.executable, "-m", "tests.support.fold_until_killed", str(tmp_path / "t.db")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert (ledger.sums("source"), ledger.counts(), ledger.recorded()) == before
        left.append(rows_in(ledger, outcomes))
    assert left == sorted(left, reverse=True) and left[-1] < stories
    ledger.now += 400 * DAY
    assert ledger.fold(1) == left[-1]
    assert (ledger.sums("source"), ledger.counts(), ledger.recorded()) == before
    database.close()


def test_of_erased_stories_only_what_became_of_them_stays(ledger):
    ledger.record(
        [entry("1", link="http://l.example/1", detail="http://l.example/1 was too short"), entry("2"), entry("3")]
    )
    ledger.record([entry("1", "done", "", detail="http://a.example/1"), entry("4", link="http://l.example/4")])
    counts = ledger.counts()
    ledger.blank(["2"], ["http://a.example/1", "http://l.example/4"])
    assert [(one.story_id, one.url, one.link, one.detail) for one in ledger.find({}) if one.url] == [
        ("3", "http://a.example/3", "", "")
    ]
    assert {one.detail for one in ledger.tries(["1", "2", "4"])} == {""}
    assert ledger.counts() == counts
    ledger.blank([], [])


def test_folding_survives_kills_and_counts_nothing_twice(tmp_path):
    fold_and_kill(tmp_path, rounds=2, stories=200)


@pytest.mark.slow
@pytest.mark.kills
def test_folding_survives_many_kills(tmp_path, kills):
    fold_and_kill(tmp_path, rounds=25, stories=5_000)
    kills["ledger folding"] = 25


def test_a_ledger_of_an_earlier_version_keeps_its_rows_and_sums(harness):
    database = harness.open()
    migrate_to(database, "0013")
    with database.begin() as db:
        for story, day, source in (("1", "2026-02-01", 3), ("2", "2026-02-02", None)):
            db.execute(
                text(
                    "INSERT INTO outcomes (story_id, stage, day, status, reason, detail, source_id, domain, url, happened_at)"
                    " VALUES (:s, 'parser', :d, 'dropped', 'too-short', 'why', :o, 'a.example', :u, :t)"
                ),
                {"s": story, "d": day, "o": source, "u": f"http://a.example/{story}", "t": f"{day} 12:00:00.000000"},
            )
        db.execute(
            text(
                "INSERT INTO outcome_days VALUES ('2026-02-01', 'parser', 'dropped', 'too-short', 3, 0, 'a.example', 5)"
            )
        )
    database.migrate()
    ledger = Turned(database)
    assert ledger.counts() == ledger.recorded() == [Count("parser", "dropped", "too-short", 7)]
    assert [(row.of, row.stories) for row in ledger.sums("source")] == [("3", 6), ("0", 1)]
    (found,) = ledger.explain("http://a.example/1")
    assert (found.detail, found.tries) == ("why", 1)
    ledger.record([entry("1", "done", "", source_id=3)])
    assert ledger.counts() == [Count("parser", "dropped", "too-short", 6), Count("parser", "done", "", 1)]
    assert ledger.fold(1) == 1
    database.close()

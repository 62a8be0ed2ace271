"""Queues dumped into WARC files and loaded again, on every broker and from one to the other."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tearsheet.archive import StoryArchiveWriter
from tearsheet.engines.broker.port import Broker, Depth, Message, Output, Settlement
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.errors import StorageError
from tearsheet.pipeline.dump import (
    FORMAT,
    HEADERS,
    QUEUE_DATA,
    Loaded,
    Wanted,
    archived_form,
    dump_queue,
    jsonable,
    load_files,
)
from tearsheet.pipeline.queuers.inputs import InputStores, expand
from tearsheet.pipeline.queuers.tracker import Tracker
from tearsheet.story import ContentMetadata, Exchange, HTTPMetadata, RawHTML, RSSEntry, Story, make_story_id
from tearsheet.work.journey import DUE, ORIGIN, RETRIES, WHAT, WHEN, WHO
from tearsheet.work.packing import new_message
from tests.support.brokers import RabbitHarness, SqliteHarness
from tests.support.full_disk import fill_disk

KINDS = {"sqlite": SqliteHarness(), "rabbitmq": RabbitHarness()}
QUEUES = ("fetcher-in", "parser-in", "parser-quar", "csv.archiver-in")
NOWHERE = InputStores("blobs", lambda url, setting: pytest.fail("no blobs here"))


@pytest.fixture
def tracker(tmp_path) -> Iterator[Tracker]:
    """What remembers which stories were loaded."""
    with closing(Tracker(tmp_path / "loaded.sqlite3")) as tracker:
        yield tracker


def story(number: int) -> Story:
    """A story as far on its way as its number says."""
    made = Story(
        make_story_id("dump", number), RSSEntry(link=f"http://site{number % 7}.example/é/{number}", title=f"☃ {number}")
    )
    if number % 4:
        page = None if number % 8 == 1 else f"<p>page {number % 100} \udcff</p>".encode("utf-8", "surrogatepass")
        made.raw_html = RawHTML(page, "utf-8" if number % 3 else None)
        made.http_metadata = HTTPMetadata(200, 1_700_000_000.25 + number, f"http://final.example/{number}", "utf-8")
        made.exchanges = [Exchange(f"http://final.example/{number}", 200, [("A", "b")], [("C", "d")], 1.5, "192.0.2.1")]
    if number % 4 > 1:
        made.content_metadata = ContentMetadata(
            url=f"http://final.example/{number}",
            text_content="text\x00 " * 3,
            authors=["Ann"],
            parsed_date="2026-01-02T03:04:05.000006",
        )
    return made


def message(number: int) -> Message:
    fresh = new_message(story(number), f"line {number} of x.csv" if number % 5 == 0 else "")
    if number % 3 == 0:
        fresh.headers.update(
            {RETRIES: number % 9, WHO: "parser", WHEN: 1_700_000_000.125, WHAT: f"timeout: é {number}"}
        )
    return fresh


def outputs(count: int) -> list[Output]:
    made = []
    for number in range(count):
        queue, one = QUEUES[number % 4], message(number)
        delay = 0.0
        if number % 20 == 1 and number % 3 == 0:
            delay = 3600.0
            one.headers[DUE] = time.time() + 3600
        made.append(Output(queue, one, delay))
    made.append(Output("parser-quar", Message(b"junk that is no story", {RETRIES: 1}, "k", b"page")))
    return made


async def contents(broker: Broker) -> dict[str, Counter[tuple[object, ...]]]:
    """Every message of every queue; takes them out."""
    found: dict[str, Counter[tuple[object, ...]]] = {}
    for queue in QUEUES:
        await broker.hasten(queue)
        found[queue] = Counter()
        while leases := await broker.lease(queue, 2000, wait=0.5):
            for lease in leases:
                held = lease.message
                found[queue][held.body, tuple(sorted(held.headers.items())), held.key, held.page] += 1
            await broker.settle([Settlement(lease) for lease in leases])
    return found


async def published(broker: Broker, made: list[Output]) -> None:
    for start in range(0, len(made), 1000):
        await broker.publish(made[start : start + 1000])


def expected(made: list[Output]) -> dict[str, Counter[tuple[object, ...]]]:
    found: dict[str, Counter[tuple[object, ...]]] = {queue: Counter() for queue in QUEUES}
    for output in made:
        held = output.message
        found[output.queue][held.body, tuple(sorted(held.headers.items())), held.key, held.page] += 1
    return found


def pairs():
    for one, other in itertools.product(KINDS, KINDS):
        marks = [pytest.mark.engine("rabbitmq")] if "rabbitmq" in (one, other) else []
        yield pytest.param(one, other, marks=marks, id=f"{one}-to-{other}")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("stories", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("one", "other"), list(pairs()))
def test_queues_come_back_as_they_were(request, tmp_path, tracker, one, other, stories):
    made = outputs(stories)

    async def main() -> None:
        first = KINDS[one].prepared(request, tmp_path / "one")
        second = first if one == other else KINDS[other].prepared(request, tmp_path / "two")
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        broker = await first.open()
        await published(broker, made)
        dumped = [await dump_queue(broker, queue, tmp_path / "dumps") for queue in QUEUES]
        assert sum(one.stories for one in dumped) == len(made)
        for queue in QUEUES:
            left = await first.settled_depth(broker, queue)
            assert (left.ready, left.delayed) == (0, 0), queue
        if second is not first:
            await broker.close()
            broker = await second.open()
        loaded = await load_files(broker, expand([str(tmp_path / "dumps")], NOWHERE, (".warc",)), Wanted(), tracker)
        assert (loaded.damages, sum(loaded.queues.values())) == ([], len(made))
        delayed = Counter(output.queue for output in made if output.delay)
        depths = {queue: (await second.settled_depth(broker, queue)).delayed for queue in QUEUES}
        assert depths == {queue: delayed[queue] for queue in QUEUES}
        assert await contents(broker) == expected(made)
        await broker.close()

    asyncio.run(main())


def test_headers_are_always_json():
    odd = {
        "when": datetime(2026, 1, 2, tzinfo=UTC), "bytes": b"\xff\x00a", "nan": float("nan"), "set": {1},
        "nested": {"x": [b"y", None]},
        "n": 3, "yes": True,
    }  # fmt: skip
    told = json.loads(json.dumps(jsonable(odd), allow_nan=False))
    assert told["when"] == "2026-01-02T00:00:00+00:00"
    assert told["nested"] == {"x": ["y", None]}
    assert (told["n"], told["nan"], told["set"], told["yes"]) == (3, "nan", "{1}", True)
    _, extra = archived_form("q", Message(b"junk", odd))  # type: ignore[arg-type]  # what a foreign client may have sent
    assert json.loads(json.dumps(extra, allow_nan=False))[HEADERS] == told


def run(tmp_path: Path, scenario) -> None:
    async def main() -> None:
        broker = await KINDS["sqlite"].prepared(None, tmp_path).open()
        try:
            await scenario(broker)
        finally:
            await broker.close()

    asyncio.run(main())


def test_some_domains_and_another_queue(tmp_path, tracker):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("fetcher-in", message(4 * n)) for n in range(14)])
        await dump_queue(broker, "fetcher-in", tmp_path / "dumps", limit=10)
        assert (await broker.depths())["fetcher-in"] == Depth(ready=4)
        files = expand([str(tmp_path / "dumps")], NOWHERE, (".warc",))
        dry = await load_files(broker, files, Wanted(include=frozenset({"site1.example"}), dry_run=True), tracker)
        assert dry.queues == {"fetcher-in": 2}
        assert "elsewhere-in" not in await broker.depths()
        loaded = await load_files(broker, files, Wanted("elsewhere-in", exclude=frozenset({"site1.example"})), tracker)
        assert (loaded.queues, loaded.left_out) == ({"elsewhere-in": 8}, 2)
        assert (await broker.depths())["elsewhere-in"] == Depth(ready=8)

    run(tmp_path, scenario)


def test_a_dump_whose_file_cannot_be_finished_leaves_the_queue_as_it_was(tmp_path, monkeypatch):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("parser-in", message(n)) for n in range(20)])
        fill_disk(monkeypatch)
        with pytest.raises(StorageError, match="No space left"):
            await dump_queue(broker, "parser-in", tmp_path / "dumps")
        assert not list((tmp_path / "dumps").rglob("*.warc.gz"))

    run(tmp_path, scenario)

    async def afterwards(broker: Broker) -> None:
        assert (await broker.depths())["parser-in"] == Depth(ready=20)

    run(tmp_path, afterwards)


def test_the_rest_of_a_dump_that_was_cut_off_is_taken_from_the_whole_one(tmp_path, tracker):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("parser-in", message(n)) for n in range(20)])
        (whole,) = map(Path, (await dump_queue(broker, "parser-in", tmp_path / "dumps")).files)
        cut = tmp_path / "under-another-name.warc.gz"
        cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])

        async def load(file: Path, wanted: Wanted) -> tuple[int, int]:
            loaded = await load_files(broker, expand([str(file)], NOWHERE), wanted, tracker)
            return loaded.queues["parser-in"], loaded.known

        first, _ = await load(cut, Wanted())
        assert 0 < first < 20
        assert await load(whole, Wanted(dry_run=True)) == (20 - first, first)
        assert await load(whole, Wanted()) == (20 - first, first)
        assert await load(whole, Wanted()) == (0, 20)
        assert (await broker.depths())["parser-in"] == Depth(ready=20)
        assert await load(whole, Wanted(force=True)) == (20, 0)
        # The same stories, dumped once more, are another dump.
        (again,) = map(Path, (await dump_queue(broker, "parser-in", tmp_path / "again")).files)
        assert await load(again, Wanted()) == (40, 0)

    run(tmp_path, scenario)


def test_a_foreign_dump_needs_a_queue(tmp_path, tracker):
    async def scenario(broker: Broker) -> None:
        with StoryArchiveWriter(tmp_path / "dumps") as writer:
            writer.write(story(2), {HEADERS: {RETRIES: 3, WHEN: "1700000000.5", "odd": None}})
        files = expand([str(tmp_path / "dumps")], NOWHERE, (".warc",))
        refused = await load_files(broker, files, Wanted(), tracker)
        assert (refused.queues, len(refused.damages)) == ({}, 1) and "--queue" in refused.damages[0]
        await load_files(broker, files, Wanted("parser-in"), tracker)
        (held,) = await broker.peek("parser-in", 5)
        assert held.headers == {RETRIES: 3, WHEN: "1700000000.5"}
        assert held.headers.get(ORIGIN) is None

    run(tmp_path, scenario)


def loaded_from(
    tmp_path: Path, tracker: Tracker, told: list[dict[str, Any]], wanted: Wanted
) -> tuple[Loaded, list[Message]]:
    """What becomes of a file whose stories say these things about their queue, and what is in parser-in afterwards."""
    with StoryArchiveWriter(tmp_path / "dumps") as writer:
        for number, extra in enumerate(told):
            writer.write(story(number), extra)
    found: list[tuple[Loaded, list[Message]]] = []

    async def scenario(broker: Broker) -> None:
        files = expand([str(tmp_path / "dumps")], NOWHERE, (".warc",))
        loaded = await load_files(broker, files, wanted, tracker)
        found.append((loaded, await broker.peek("parser-in", 50)))

    run(tmp_path, scenario)
    return found[0]


def test_a_foreign_dump_with_odd_data_is_loaded_as_far_as_it_can_be_read(tmp_path, tracker):
    odd = {RETRIES: math.inf, WHO: "parser", WHEN: math.nan, "x": [1]}
    told = [{HEADERS: odd, QUEUE_DATA: {"queue": "parser-in", "key": key}} for key in (10**30, None, [1])]
    loaded, held = loaded_from(tmp_path, tracker, told, Wanted())
    assert [one.headers for one in held] == [{WHO: "parser"}] * 3
    assert loaded.damages == []


@pytest.mark.parametrize(
    "wrong", [{"body": "é"}, {"body": "!!!"}, {"body": "A"}, {"body": "QUJD", "page": "A\n"}, {"body": 7}]
)
def test_a_message_that_is_damaged_is_named_and_the_others_are_loaded(tmp_path, tracker, wrong):
    told = [{QUEUE_DATA: {"queue": "parser-in"} | more} for more in ({}, wrong, {"body": "QUJD", "page": "REVG"})]
    loaded, held = loaded_from(tmp_path, tracker, told, Wanted())
    assert len(held) == 2 and (held[1].body, held[1].page) == (b"ABC", b"DEF")
    (damage,) = loaded.damages
    assert re.fullmatch(r".*\.warc\.gz: at byte [0-9]+: the message in it is damaged", damage)


def test_what_a_newer_version_wrote_is_refused_line_by_line_and_what_an_older_one_wrote_is_read(tmp_path, tracker):
    data = {"queue": "parser-in", "key": "k"}
    told = [{QUEUE_DATA: data | more} for more in ({}, {"format": FORMAT}, {"format": FORMAT + 1}, {"format": "x"})]
    loaded, held = loaded_from(tmp_path, tracker, told, Wanted())
    assert (len(held), loaded.queues["parser-in"]) == (2, 2)
    assert len(loaded.damages) == 2 and all("a newer version of tearsheet wrote it" in one for one in loaded.damages)


def test_a_story_that_does_not_say_its_queue_among_others_is_named_and_can_be_loaded_later(tmp_path, tracker):
    told: list[dict[str, Any]] = [
        {QUEUE_DATA: {"queue": "parser-in"}},
        {},
        {QUEUE_DATA: {"queue": "no/name"}},
        {QUEUE_DATA: "x"},
    ]
    loaded, held = loaded_from(tmp_path, tracker, told, Wanted())
    assert len(held) == 1 and len(loaded.damages) == 3 and all("--queue" in one for one in loaded.damages)

    async def again(broker: Broker) -> None:
        rest = await load_files(
            broker, expand([str(tmp_path / "dumps")], NOWHERE, (".warc",)), Wanted("parser-in"), tracker
        )
        assert (rest.queues["parser-in"], rest.known, rest.damages) == (3, 1, [])

    run(tmp_path, again)


def test_a_queue_that_nobody_reads_is_not_filled(tmp_path, tracker):
    told = [{QUEUE_DATA: {"queue": name}} for name in ("parser-in", "own.praser-in")]
    loaded, held = loaded_from(tmp_path, tracker, told, Wanted(read=frozenset({"parser-in"})))
    assert len(held) == 1
    (damage,) = loaded.damages
    assert "no stage reads the queue 'own.praser-in' that it was taken from: name another with --queue" in damage


def test_a_dump_of_some_leaves_the_others_waiting(tmp_path):
    async def scenario() -> tuple[int, Depth]:
        broker = SqliteBroker(tmp_path / "q.db")
        delayed = [Output("parser-in", message(number), 3600.0) for number in range(10)]
        await broker.publish([Output("parser-in", message(20)), *delayed])
        dumped = await dump_queue(broker, "parser-in", tmp_path / "dumps", limit=2)
        depth = (await broker.depths())["parser-in"]
        await broker.close()
        return dumped.stories, depth

    assert asyncio.run(scenario()) == (2, Depth(delayed=9))


@pytest.mark.parametrize(
    ("domains", "takes"),
    [
        ({"sport.paper.example"}, True),
        ({"paper.example"}, True),
        ({"other.example", "paper.example"}, True),
        ({"port.paper.example"}, False),
        ({"aper.example"}, False),
    ],
)
def test_a_domain_stands_for_its_hosts(domains, takes):
    story = Story(rss_entry=RSSEntry(link="http://sport.paper.example/1"))
    assert Wanted(include=frozenset(domains)).takes(story) == takes
    assert Wanted(exclude=frozenset(domains)).takes(story) != takes

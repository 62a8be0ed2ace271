"""A stage that gathers stories: their messages wait, without their bytes, until what they were added to is safe."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

import tearsheet.work.keeping
from tearsheet.engines.broker.port import Depth, Message, Output
from tearsheet.errors import EngineError
from tearsheet.story import Story
from tearsheet.work.keeping import KeepingWorker
from tearsheet.work.outcomes import Drop, Kept, Result
from tests.support.work_bench import Bench, run_on_bench, story


class Boxes:
    """A stage that packs stories into boxes of three. A box is safe when it is closed."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.safe: list[str] = []
        self.closed: list[list[str]] = []
        self.abandoned = 0
        self.old = False
        self.unwanted: list[list[str]] = []
        self.thrown_away: list[str] = []

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result | Kept]:
        return [self._add(one) for one in stories]

    def _add(self, one: Story) -> Result | Kept:
        title = one.rss_entry.title or ""
        if title == "drop":
            return Drop("unwanted")
        if title == "known":
            return one
        if title == "poison":
            raise ZeroDivisionError
        if title == "full disk":
            raise EngineError("the disk is full")
        kept = Kept(str(len(self.closed)))
        self.open.append(title)
        if len(self.open) == 3:
            self._close()
        return kept

    def _close(self) -> None:
        told = self.thrown_away if self.open in self.unwanted else self.safe
        told.append(str(len(self.closed)))
        self.closed.append([] if self.open in self.unwanted else self.open)
        self.open = []

    def finish(self, *, everything: bool = False) -> Sequence[str]:
        if self.open and (everything or self.old):
            self._close()
        safe, self.safe = self.safe, []
        return safe

    def given_up(self) -> Sequence[str]:
        self.unwanted = [] if self.thrown_away else self.unwanted
        thrown_away, self.thrown_away = self.thrown_away, []
        return thrown_away

    def abandon(self) -> None:
        self.abandoned += 1
        self.open = []


@pytest.fixture
def stage():
    return Boxes()


def keeping(bench: Bench, stage: Boxes, *outputs: str, batch: int = 2) -> KeepingWorker:
    return KeepingWorker(
        stage, bench.config("archiver", *outputs), bench.broker, bench.ledger, batch=batch, seconds=0.05
    )


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    while not await condition():
        await asyncio.sleep(0.01)


def test_stories_are_settled_when_their_box_is_closed(tmp_path, stage):
    async def scenario(bench: Bench) -> None:
        await bench.put("archiver-in", [story(str(n)) for n in range(5)])
        worker, stop = keeping(bench, stage), asyncio.Event()
        running = asyncio.create_task(worker.run(stop))

        async def two_wait() -> bool:
            return worker.settled == 3 and [len(kept) for kept in worker._kept.values()] == [2]

        await until(two_wait)
        assert (await bench.broker.depths())["archiver-in"] == Depth(leased=2)
        assert bench.outcomes() == {("archiver", "done", "", 3)}
        held = [finished.settlement.lease.message for kept in worker._kept.values() for finished in kept]
        assert [(message.body, message.page) for message in held] == [(b"", b"")] * 2
        stage.old = True

        async def none_waits() -> bool:
            return (await bench.broker.depths())["archiver-in"] == Depth()

        await until(none_waits)
        stop.set()
        await running
        assert stage.closed == [["0", "1", "2"], ["3", "4"]]
        assert bench.outcomes() == {("archiver", "done", "", 5)}

    run_on_bench(tmp_path, scenario)


def test_a_stop_closes_what_is_open(tmp_path, stage):
    async def scenario(bench: Bench) -> None:
        await bench.put("archiver-in", [story("a"), story("b")])
        worker, stop = keeping(bench, stage), asyncio.Event()
        running = asyncio.create_task(worker.run(stop))

        async def both_wait() -> bool:
            return bool(stage.open == ["a", "b"])

        await until(both_wait)
        stop.set()
        await running
        assert stage.closed == [["a", "b"]]
        assert (await bench.broker.depths())["archiver-in"] == Depth()

    run_on_bench(tmp_path, scenario)


def test_a_run_that_is_to_end_does_not_wait_for_a_box_to_fill(tmp_path, stage):
    async def scenario(bench: Bench) -> None:
        titles = ["a", "drop", "b", "known", "poison", "c", "d"]
        await bench.put("archiver-in", [story(title) for title in titles])
        await bench.broker.publish([Output("archiver-in", Message(b"no story"))])
        await bench.drain(keeping(bench, stage, batch=10))
        assert sorted(title for box in stage.closed for title in box) == ["a", "a", "b", "b", "c", "d"], (
            "a and b again, after the poison"
        )
        assert bench.outcomes() == {
            ("archiver", "done", "", 5),
            ("archiver", "dropped", "unwanted", 1),
            ("archiver", "quarantined", "error", 1),
            ("archiver", "quarantined", "unreadable", 1),
        }

    run_on_bench(tmp_path, scenario)


def test_the_stories_of_a_box_that_is_given_up_come_again_and_the_others_go_on(tmp_path, stage):
    async def scenario(bench: Bench) -> None:
        stage.unwanted = [["a", "b", "c"]]
        await bench.put("archiver-in", [story(title) for title in "abcd"])
        await bench.drain(worker := keeping(bench, stage))
        assert sorted(title for box in stage.closed for title in box) == ["a", "b", "c", "d"]
        assert bench.outcomes() == {("archiver", "done", "", 4)}
        assert (stage.abandoned, worker._bytes_kept) == (1, 0)
        assert (await bench.broker.depths())["archiver-in"] == Depth()

    run_on_bench(tmp_path, scenario)


def test_after_an_error_what_is_open_is_thrown_away_and_its_stories_come_again(tmp_path, stage):
    async def scenario(bench: Bench) -> None:
        await bench.put("archiver-in", [story("a"), story("b"), story("full disk")])
        with pytest.raises(EngineError):
            await bench.drain(keeping(bench, stage))
        assert (stage.abandoned, stage.closed, bench.outcomes()) == (1, [], set())
        await bench.broker.close()
        bench.reopen_broker()
        assert (await bench.broker.depths())["archiver-in"] == Depth(ready=3)

    run_on_bench(tmp_path, scenario)


def test_where_another_stage_follows_messages_are_held_whole_and_not_too_many(tmp_path, stage, monkeypatch):
    async def scenario(bench: Bench) -> None:
        stories = [story(str(n)) for n in range(4)]
        await bench.put("archiver-in", stories)
        monkeypatch.setattr(tearsheet.work.keeping, "MOST_BYTES_KEPT", 1)
        await bench.drain(keeping(bench, stage, "next"))
        assert [len(box) for box in stage.closed] == [2, 2], "closed for the sake of memory"
        arrived = {one.rss_entry.title: one for one in await bench.arrived("next-in")}
        assert arrived == {one.rss_entry.title: one for one in stories}

    run_on_bench(tmp_path, scenario)

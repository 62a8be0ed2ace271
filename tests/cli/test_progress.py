"""The progress of a run where nobody looks at a terminal: a line when something changed, and silence otherwise."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace
from typing import Any

from tearsheet import topics
from tearsheet.cli.progress import Progress, TopicProgress
from tearsheet.engines.broker import Depth
from tests.support.virtual_loop import run_virtually


class FakeCollector:
    """Settles a story at some of the moments at which it is asked."""

    def __init__(self, settled: list[int]) -> None:
        self._settled = iter(settled)
        self.workers: list[Any] = []
        self.paused = ""
        self.polling = ""

    async def depths(self) -> dict[str, Depth]:
        self.workers = [SimpleNamespace(name="parser", settled=next(self._settled))]
        return {"parser-in": Depth(0, 0, 0)}


def lines_of_a_run(settled: list[int], caplog: Any) -> list[int]:
    async def run() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(15 * len(settled) + 1, stop.set)
        await Progress(FakeCollector(settled)).run(stop)  # type: ignore[arg-type]  # a collector as far as progress goes

    with caplog.at_level(logging.INFO, "tearsheet.cli.progress"):
        run_virtually(run())
    return [record.parser for record in caplog.records if record.message == "progress"]


def test_a_topic_says_now_and_then_how_far_it_is_and_what_it_waits_for(capsys):
    topic: Any = SimpleNamespace(state="running")
    seconds = iter([0.0, *(time for time in (5.0, 15.0, 15.0, 15.0, 40.0, 60.0, 60.0, 60.0))])
    show = TopicProgress(lambda: next(seconds))
    first = topics.Progress(stories=1, to_fetch=2)
    for progress in (first, first, first, topics.Progress(stories=2, to_fetch=1, put_off=1, next_try=0.0)):
        show(topic, progress)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(";")[0] for line in lines] == ["running: 1 story, 0 links", "running: 2 stories, 0 links"]
    assert lines[1].endswith("1 address waits for another try, the first at 1970-01-01 00:00 UTC")


def test_an_idle_run_says_nothing(caplog):
    assert lines_of_a_run([0] * 40, caplog) == []


def test_a_run_says_what_changed_once(caplog):
    assert lines_of_a_run([0, 3, 3, 3, 5, 5], caplog) == [3, 5]


def test_a_run_that_only_waits_for_a_feed_says_for_which(caplog):
    async def run() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(16, stop.set)
        collector = FakeCollector([0, 0])
        collector.polling = "0 of 1 feed polled; 15 s of at most 80 s at http://a.example/rss"
        await Progress(collector).run(stop)  # type: ignore[arg-type]  # a collector as far as progress goes

    with caplog.at_level(logging.INFO, "tearsheet.cli.progress"):
        run_virtually(run())
    assert [record.polling.partition(";")[0] for record in caplog.records] == ["0 of 1 feed polled"]

"""Expensive questions to the embedded index: in processes of their own, ended when the time is up."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tearsheet.engines.index.killable import KillableReaders
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.engines.index.tantivy_reader import WordReader
from tearsheet.errors import TooSlow
from tearsheet.query import QueryError, parse_query
from tests.support.index_stories import long_stories, near_phrases, story

ATTACK = parse_query(near_phrases(35, 1000))
"""As many such phrases as a query may have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("index")
    index = TantivyIndex(folder)
    index.add(long_stories(40, 30_000))
    index.close()
    return folder


@pytest.fixture
def index(folder):
    index = TantivyIndex(folder, query_seconds=0.3)
    yield index
    index.close()


def children() -> set[str]:
    """The processes that this one started and that still run."""
    return {
        child
        for tasks in Path(f"/proc/{os.getpid()}/task").iterdir()
        for child in (tasks / "children").read_text().split()
        if b"tantivy_child" in Path(f"/proc/{child}/cmdline").read_bytes()
    }


def test_the_process_is_ended_when_the_time_is_up(index):
    with pytest.raises(TooSlow, match=r"longer than 0.3 s .*it has 35 phrases with a distance \(up to 1,000\)"):
        index.survey(ATTACK)
    (next_one,) = index._killable._idle
    assert next_one.alive(), "another has started for the next question"
    with pytest.raises(TooSlow):
        index.survey(ATTACK)
    assert not next_one.alive()


def test_an_event_loop_goes_on_meanwhile(index):
    async def ticks() -> int:
        asked = asyncio.create_task(asyncio.to_thread(index.count, ATTACK))
        number = 0
        while not asked.done():
            await asyncio.sleep(0.01)
            number += 1
        with pytest.raises(TooSlow):
            asked.result()
        return number

    assert asyncio.run(ticks()) >= 5


@pytest.fixture
def readers(folder):
    readers = KillableReaders(folder, 60)
    yield readers
    readers.close()


def test_a_process_is_used_again_and_ends_with_the_index(readers):
    assert readers.ask(WordReader.count, parse_query("the")) == 40
    (first,) = children()
    assert readers.ask(WordReader.count, parse_query("of")) == 40
    assert children() == {first}
    readers.close()
    assert children() == set()


def test_a_process_that_was_ended_is_replaced(readers):
    assert readers.ask(WordReader.count, parse_query("the")) == 40
    (first,) = children()
    os.kill(int(first), signal.SIGKILL)
    os.waitid(os.P_PID, int(first), os.WEXITED | os.WNOWAIT)
    assert readers.ask(WordReader.count, parse_query("the")) == 40
    assert children() != {first}


def test_a_process_that_ends_itself_is_told(readers):
    with pytest.raises(TooSlow, match="needed too much memory, or ended the process"):
        readers.ask(os._exit, parse_query("the"))


def test_a_process_gets_nothing_else_of_the_environment(readers, monkeypatch):
    monkeypatch.setenv("TEARSHEET_SECRET", "hush")
    readers.ask(WordReader.count, parse_query("the"))
    (child,) = children()
    assert b"hush" not in Path(f"/proc/{child}/environ").read_bytes()


def test_what_was_refreshed_is_seen_and_errors_come_back(tmp_path):
    index = TantivyIndex(tmp_path / "index")
    for n in range(3):
        index.add([story(f"more {n}", text="the offer")])
        index.refresh()
        assert index._killable.ask(WordReader.count, parse_query('"the of*"')) == n + 1
    with pytest.raises(QueryError, match="not a token"):
        index._killable.ask(WordReader.page, parse_query("the"), 5, "nonsense", "newest")
    index.close()


def test_a_query_of_a_few_words_needs_no_process(index):
    assert index.survey(parse_query("the AND (of OR law)")).count == 40
    assert index._killable._idle == []

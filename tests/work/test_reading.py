"""Reading jobs: the same answers in processes as here, and limits that cost one document and no other."""

from __future__ import annotations

import asyncio
import importlib
import os

import pytest

from tearsheet.work import Quarantine, Reader, ReadingJob, ReadingPool, ThreadReader
from tests.support.reading_jobs import HURRY, OBEY, Task, Told, obey

WELL = Task("echo", "Grüße\0".encode())


async def refused(reader: Reader, task: Task) -> tuple[str, str]:
    with pytest.raises(Quarantine) as caught:
        await reader.read(OBEY, task)
    return caught.value.reason, caught.value.detail


def test_a_process_says_what_we_say_and_exceeds_no_limit() -> None:
    async def run() -> None:
        pool = ReadingPool(1, 60)
        try:
            assert await pool.read(OBEY, WELL) == obey(WELL) == [Told("Grüße\0"), Told("again")]
            reason, detail = await refused(pool, Task("talk", size=20_000))
            assert reason == "answer" and "10,000 are allowed" in detail
            assert (await refused(pool, Task("fill", size=2_000_000_000)))[0] == "memory"
            assert await refused(pool, Task("fail")) == ("error", "ValueError: a half ? pair")
            assert await refused(pool, Task("refuse")) == ("html?", "not what was asked for")
            assert (await refused(pool, Task("crash")))[0] == "crash"
            assert await pool.read(OBEY, Task("fill", size=100_000_000)) == [Told("100000000")]
        finally:
            await pool.close()

    asyncio.run(run())


def test_a_job_that_takes_too_long_is_ended_and_its_neighbours_go_on() -> None:
    async def run() -> None:
        pool = ReadingPool(2, 60)
        try:
            await asyncio.gather(*(pool.read(OBEY, WELL) for _ in range(2)))
            hanging = asyncio.create_task(pool.read(HURRY, Task("hang")))
            assert await pool.read(OBEY, WELL) == obey(WELL)
            with pytest.raises(Quarantine, match=r"timeout: took longer than 0\.3 s"):
                await hanging
            assert await asyncio.gather(*(pool.read(OBEY, WELL) for _ in range(4))) == [obey(WELL)] * 4
        finally:
            await pool.close()

    asyncio.run(run())


def test_a_thread_fails_with_the_same_reasons() -> None:
    async def run() -> None:
        reader = ThreadReader()
        assert await reader.read(OBEY, WELL) == obey(WELL)
        assert await refused(reader, Task("fail")) == ("error", "ValueError: a half ? pair")
        assert await refused(reader, Task("refuse")) == ("html?", "not what was asked for")

    asyncio.run(run())


def test_loading_the_code_of_a_job_is_not_counted_as_its_time(tmp_path, monkeypatch):
    (tmp_path / "slow_to_load.py").write_text("import time\ntime.sleep(2.0)\ndef echo(text: str) -> str: return text\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    job: ReadingJob[str, str] = ReadingJob(importlib.import_module("slow_to_load").echo, seconds=1.9)

    async def twice() -> list[str]:
        pool = ReadingPool(1, 20.0)
        try:
            return [await pool.read(job, text) for text in ("a", "b")]
        finally:
            await pool.close()

    assert asyncio.run(twice()) == ["a", "b"]

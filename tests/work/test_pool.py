"""A task that exceeds a limit ends its own process and nothing else; a process that cannot start is told, and never waited for."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tearsheet.errors import WorkerError
from tearsheet.work import pool as pool_module
from tearsheet.work.confine import Limits
from tearsheet.work.outcomes import Quarantine
from tearsheet.work.pool import ProcessPool
from tests.support.paths import ROOT
from tests.support.prober import BUILDER

SMALL = Limits(memory=300 << 20, answer=100_000)


def with_pool(
    scenario: Callable[[ProcessPool], Awaitable[None]], *, size: int = 1, seconds: float = 20.0, builder: str = BUILDER
) -> None:
    async def main() -> None:
        pool = ProcessPool(builder, (), size, seconds, SMALL)
        try:
            await scenario(pool)
        finally:
            await pool.close()

    asyncio.run(main())


async def outcome(pool: ProcessPool, order: str) -> tuple[str, str]:
    try:
        return "", (await pool.run(order.encode())).decode()
    except Quarantine as raised:
        return raised.reason, raised.detail


@pytest.mark.parametrize(
    ("order", "reason", "detail"),
    [
        ("hang 60", "timeout", "took longer than 2 s and was ended"),
        ("spin", "timeout", "took longer than 2 s and was ended"),
        ("crash", "crash", "ended its worker process (exit code 3)"),
        ("segfault", "crash", "ended its worker process (SIGSEGV)"),
        ("memory 400000000", "memory", "needed more than 300 MB of memory and was ended"),
        ("answer 100001", "answer", "answered 100001 bytes and was ended"),
    ],
)
def test_what_exceeds_a_limit_is_quarantined_and_its_neighbours_go_on(order, reason, detail, caplog):
    async def scenario(pool: ProcessPool) -> None:
        await asyncio.gather(pool.confinement(), pool.confinement())  # a slow start is not the neighbours' fault
        bad, *neighbours = await asyncio.gather(
            outcome(pool, order), *(outcome(pool, f"echo {number}") for number in range(20))
        )
        assert bad == (reason, detail)
        assert neighbours == [("", str(number)) for number in range(20)]
        assert await outcome(pool, "echo on") == ("", "on")

    with_pool(scenario, size=2, seconds=2.0)
    (record,) = [record for record in caplog.records if record.name == pool_module.__name__]
    assert (record.levelname, record.reason) == ("WARNING", reason)


def test_an_answer_of_exactly_the_limit_passes():
    async def scenario(pool: ProcessPool) -> None:
        assert await outcome(pool, "answer 100000") == ("", "x" * 100_000)
        assert await outcome(pool, "memory 100000000") == ("", "100000000")

    with_pool(scenario)


def test_an_answer_is_refused_by_its_length_before_it_is_read(unblocked_loop):
    """A gigabyte is announced, and none of it need come."""

    async def scenario() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            "import sys, time; sys.stdout.buffer.write((1 << 30).to_bytes(4, 'big')); sys.stdout.flush(); time.sleep(60)",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        child = pool_module._Child(process, 100_000)
        with pytest.raises(pool_module._TooLong):
            await child.ask(b"task")
        child.kill()
        await child.exit_code()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("builder", "said"),
    [
        ("tests.support.prober:unbuildable", "ValueError: there is nothing to build"),
        ("tests.support.prober:dead_at_start", "it ended with exit code 9"),
        (
            "tests.support.no_such_module:answering",
            "ModuleNotFoundError: No module named 'tests.support.no_such_module'",
        ),
    ],
)
def test_a_process_that_cannot_start_is_told_each_time_and_blames_no_task(builder, said):
    async def scenario(pool: ProcessPool) -> None:
        for _ in range(2):
            with pytest.raises(WorkerError, match=said):
                await pool.run(b"echo x")

    with_pool(scenario, builder=builder)


def test_a_process_that_is_never_ready_is_told(monkeypatch):
    monkeypatch.setattr(pool_module, "_START_SECONDS", 0.01)

    async def scenario(pool: ProcessPool) -> None:
        with pytest.raises(WorkerError, match=r"not ready after 0\.01 s"):
            await pool.run(b"echo x")
        monkeypatch.undo()
        assert await outcome(pool, "echo on") == ("", "on")

    with_pool(scenario)


def test_a_program_that_is_missing_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))

    async def scenario(pool: ProcessPool) -> None:
        with pytest.raises(WorkerError, match="No such file"):
            await pool.run(b"echo x")

    with_pool(scenario)


def test_cancelled_tasks_leave_no_process_and_take_no_place():
    async def scenario(pool: ProcessPool) -> None:
        await pool.confinement()
        for _ in range(3):
            task = asyncio.create_task(pool.run(b"hang 60"))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert await outcome(pool, "echo on") == ("", "on")

    with_pool(scenario)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
@pytest.mark.parametrize("order", ["hang 60", "spin"])
def test_a_child_ends_with_its_parent_even_in_the_middle_of_a_task(order, tmp_path):
    script = f"""
import asyncio
from tearsheet.work.pool import ProcessPool
async def main():
    pool = ProcessPool({BUILDER!r}, (), 1, 60.0)
    await pool.confinement()
    task = asyncio.create_task(pool.run({order.encode()!r}))
    await asyncio.sleep(0.2)
    print(next(iter(pool._children))._process.pid, flush=True)
    await task
asyncio.run(main())
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 30
    while _runs(child) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False

"""Every command that runs for long is interrupted in the same way: it stops cleanly, and its exit code says whether it was done."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Any

import pytest

from tearsheet.app.running import Interrupted, Run, run_processes, run_to_its_end, run_until_stopped
from tearsheet.errors import EngineError
from tests.support.patience import PATIENCE
from tests.support.signals import interrupt, silent_web, wait_until_handled
from tests.support.tearsheet_command import command, environment, in_process

BOTH = [SIGINT, SIGTERM]
HOW = pytest.mark.parametrize("numbers", [[SIGINT], [SIGTERM], BOTH], ids=["INT", "TERM", "twice"])
PAGE = "http://a.example/page"


@pytest.fixture(autouse=True)
def _signals_as_before():
    """A run that was told to stop ignores signals from then on, which is not for the tests after it."""
    before = [(number, signal.getsignal(number)) for number in BOTH]
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.fixture
def data(tmp_path):
    """A data folder with a feed, a topic and addresses in a web that never answers: no work on them ends by itself."""
    with silent_web() as settings:
        folder = tmp_path / "data"
        folder.mkdir()
        (folder / "config.toml").write_text(f"{settings}[pipeline]\nparser_processes = 1\n")
        (tmp_path / "list.csv").write_text(f"url\n{PAGE}\n")
        yield folder


@contextmanager
def started(data: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command in a process of its own, with all that it started: nothing of it is left after the block."""
    line = command(*words, data=data)
    with subprocess.Popen(line, stderr=subprocess.DEVNULL, env=environment({}), start_new_session=True) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@HOW
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["run", "--no-web", "http://a.example/feed"], 0),
        (["run", "--no-web", "--once", "http://a.example/feed"], 11),
        (["worker", "fetcher"], 0),
        (["worker", "ingest", "persist-result"], 0),
        (["serve", "--port", "0"], 0),
        (["ingest", PAGE], 11),
    ],
    ids=["run", "run --once", "worker", "worker ingest", "serve", "ingest"],
)
def test_a_command_stops_cleanly(data, words, code, numbers):
    ended = interrupt(data, *words, numbers=numbers)
    assert ended.code == code, ended.errors
    assert "Traceback" not in ended.errors


@HOW
def test_a_topic_that_was_interrupted_is_not_done_and_goes_on_later(data, numbers):
    assert in_process("topic", "create", "T", "flood", data=data).exit_code == 0
    assert in_process("topic", "seed", "T", PAGE, data=data).exit_code == 0
    ended = interrupt(data, "topic", "run", "T", numbers=numbers)
    assert (ended.code, ended.output) == (11, ""), ended.errors
    assert '"state": "running"' in in_process("topic", "status", "T", "--json", data=data).stdout


@HOW
def test_a_pipeline_says_what_it_queued_before_it_was_interrupted(data, numbers):
    ended = interrupt(data, "pipeline", "run", "csv", str(data.parent / "list.csv"), numbers=numbers)
    assert ended.code == 11, ended.errors
    assert "of 1 file" in ended.output


def test_a_signal_reaches_every_process_of_a_worker(data):
    with started(data, "worker", "fetcher", "-n", "2") as process:
        wait_until_handled(process.pid, children=2)
        process.send_signal(SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_run_is_told_once_and_not_hurried_by_the_second_signal():
    async def main(run: Run) -> list[bool]:
        seen = [run.interrupted]
        for number in (SIGINT, SIGINT, SIGTERM):
            os.kill(os.getpid(), number)
            await asyncio.wait_for(run.stop.wait(), PATIENCE)
            seen.append(run.interrupted)
        return seen

    assert run_until_stopped(main) == [False, True, True, True]
    for number in BOTH:  # while the engines close and Python shuts down
        os.kill(os.getpid(), number)
        assert signal.getsignal(number) is signal.SIG_IGN


def test_a_run_that_ended_by_itself_leaves_signals_as_they_were():
    async def main(run: Run) -> bool:
        return run.interrupted

    assert run_until_stopped(main) is False
    assert signal.getsignal(SIGINT) is signal.default_int_handler
    assert signal.getsignal(SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize(
    ("words", "children"),
    [(["serve", "--port", "0"], 0), (["worker", "fetcher", "-n", "2"], 2)],
    ids=["serve", "worker -n"],
)
@pytest.mark.parametrize("number", [SIGINT, pytest.param(SIGTERM, marks=pytest.mark.proof)])
def test_signals_that_keep_coming_until_the_very_end_change_nothing(data, words, children, number):
    with started(data, *words) as process:
        wait_until_handled(process.pid, children=children)
        give_up = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < give_up:
            process.send_signal(number)
            time.sleep(0.002)
        assert process.poll() == 0


@pytest.mark.parametrize("number", BOTH)
def test_work_that_ends_by_itself_cleans_up_when_interrupted(number):
    cleaned = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.Event().wait()
        finally:
            cleaned.append(True)

    with pytest.raises(Interrupted):
        run_to_its_end(work())
    assert cleaned
    assert signal.getsignal(SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize("number", BOTH)
def test_a_second_signal_ends_such_work_at_once(number):
    async def work() -> None:
        os.kill(os.getpid(), number)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            os.kill(os.getpid(), number)
            await asyncio.sleep(PATIENCE)

    with pytest.raises(Interrupted):
        run_to_its_end(work())


def test_work_in_the_background_ignores_ctrl_c_and_hears_sigterm():
    async def work() -> None:
        os.kill(os.getpid(), SIGINT)
        await asyncio.sleep(0)
        os.kill(os.getpid(), SIGTERM)
        await asyncio.Event().wait()

    before = signal.signal(SIGINT, signal.SIG_IGN)  # as a shell starts `command &`
    try:
        with pytest.raises(Interrupted):
            run_to_its_end(work())
        assert signal.getsignal(SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(SIGINT, before)


def test_work_that_was_cancelled_without_a_signal_says_so():
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_to_its_end(work())


def test_work_in_another_thread_leaves_signals_alone():
    found = []

    async def work() -> str:
        return "done"

    async def main(run: Run) -> str:
        return "stopped" if run.stop.is_set() else "done"

    def both() -> None:
        found.extend([run_to_its_end(work()), run_until_stopped(main)])

    thread = threading.Thread(target=both)
    thread.start()
    thread.join(PATIENCE)
    assert found == ["done", "done"]


def test_work_runs_where_a_loop_runs_already_and_ctrl_c_cancels_it_there():
    """As in a notebook, whose cells run in an event loop that does not handle signals itself."""
    cleaned: list[bool] = []

    async def add() -> int:
        await asyncio.sleep(0)
        return 3

    async def hang() -> None:
        try:
            signal.pthread_kill(threading.main_thread().ident or 0, SIGINT)
            await asyncio.sleep(PATIENCE)
        finally:
            cleaned.append(True)

    async def cell(work: Callable[[], Coroutine[Any, Any, object]]) -> object:
        return run_to_its_end(work())

    loop = asyncio.new_event_loop()
    try:
        assert loop.run_until_complete(cell(add)) == 3
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell(hang))
    finally:
        loop.close()
    assert cleaned == [True]


def test_ctrl_c_while_the_thread_of_the_work_is_started_cancels_it_too(monkeypatch):
    """The moment at which a thread runs that nobody has a hold on yet."""
    cleaned: list[bool] = []
    start = threading.Thread.start

    def started_and_interrupted(thread: threading.Thread) -> None:
        start(thread)
        if thread.name.startswith("tearsheet"):
            signal.raise_signal(SIGINT)

    async def hang() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            cleaned.append(True)

    async def cell() -> None:
        run_to_its_end(hang())

    monkeypatch.setattr(threading.Thread, "start", started_and_interrupted)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(cell())
    assert cleaned == [True]
    assert time.monotonic() - begun < PATIENCE / 2
    assert signal.getsignal(SIGINT) is signal.default_int_handler


def test_processes_that_fail_are_counted():
    run_processes([sys.executable, "-c", ""], 2)
    with pytest.raises(EngineError, match="2 of 2 workers ended with an error"):
        run_processes([sys.executable, "-c", "raise SystemExit(3)"], 2)
    assert signal.getsignal(SIGINT) is signal.default_int_handler


TELLS = "import os, sys, time\nfrom signal import *\nos.kill(os.getppid(), {told})\n"
"""A child that has its parent told to stop."""


@pytest.mark.parametrize("number", BOTH)
def test_processes_that_our_own_signal_ended_have_not_failed(number):
    """They were still starting, without handlers of their own."""
    run_processes([sys.executable, "-c", TELLS.format(told=number.name) + f"time.sleep({PATIENCE})"], 2)


@pytest.mark.parametrize(("code", "fails"), [(11, False), (130, False), (3, True), (-9, True)])
def test_a_process_that_was_told_to_stop_may_say_so_and_may_still_fail(code, fails):
    deaf = "from signal import *\nsignal(SIGTERM, SIG_IGN)\n"
    ends = f"os.kill(os.getpid(), {-code})" if code < 0 else f"sys.exit({code})"
    with pytest.raises(EngineError) if fails else nullcontext():
        run_processes([sys.executable, "-c", deaf + TELLS.format(told="SIGTERM") + ends], 1)


@pytest.mark.parametrize("ends", ["os.kill(os.getpid(), 15)", "raise SystemExit(11)"])
def test_processes_that_ended_although_nobody_told_them_have_failed(ends):
    with pytest.raises(EngineError, match="1 of 1"):
        run_processes([sys.executable, "-c", f"import os\n{ends}"], 1)

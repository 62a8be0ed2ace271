"""Processes that are sent signals, and a web that never answers, so that they have something to wait for."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tearsheet.cli import app
from tests.support.patience import PATIENCE

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["tests.support.signals", "tearsheet.app.demo", "tearsheet.app.workers", "tearsheet.web.app"]
)


@contextmanager
def silent_web() -> Iterator[str]:
    """A port of loopback that takes requests and says nothing; gives settings that lead every host there."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        place = f"127.0.0.1:{listener.getsockname()[1]}"
        yield (
            f'[fetch]\nallow_addresses = ["127.0.0.0/8"]\nconnect_to = {{"*" = "{place}"}}\nobey_robots = false\n'
            'interval_seconds = 0.0\ntimeout_seconds = 3600.0\nmanners_off = {"*" = "all"}\n'
        )


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal, as the kernel knows it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def has_loop(pid: int) -> bool:
    """Whether a process has an event loop: a selector and two sockets to wake it. Importing `selectors` makes only the first."""
    with suppress(FileNotFoundError):  # a file that was closed meanwhile
        opened = [str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()]
        return any("eventpoll" in what for what in opened) and sum(what.startswith("socket:") for what in opened) > 1
    return False


def wait_until_handled(pid: int, *, children: int = 0) -> None:
    """Wait until a command, or each of its children, runs and is ready for SIGTERM.

    It has a handler of its own from the start, so that alone tells nothing: the loop comes after the handlers of a run.
    """
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        at_work = children_of(pid) if children else [pid]
        if len(at_work) == (children or 1) and all(catches(one, signal.SIGTERM) and has_loop(one) for one in at_work):
            return
        time.sleep(0.02)
    raise AssertionError("not ready for signals")


def send_at_once(pid: int, *numbers: signal.Signals) -> None:
    """Deliver several signals before the process can act on the first."""
    os.kill(pid, signal.SIGSTOP)
    for number in numbers:
        os.kill(pid, number)
    os.kill(pid, signal.SIGCONT)


@dataclass(slots=True)
class Ended:
    """How a command ended, and what it said."""

    code: int | None
    output: str
    errors: str


def interrupt(data: Path, *words: str, numbers: Sequence[signal.Signals]) -> Ended:
    """Run a command, send it signals as soon as it handles them, and wait for its end.

    Its process is forked from one that has imported the program, because that takes longer than all that is tested.
    """
    said, wrong = data.parent / "stdout", data.parent / "stderr"
    process = _FORKS.Process(target=_run_command, args=(["--data", str(data), *words], said, wrong))
    process.start()
    try:
        assert process.pid is not None
        wait_until_handled(process.pid)
        send_at_once(process.pid, *numbers)
        process.join(PATIENCE)
    finally:
        process.kill()
    return Ended(process.exitcode, said.read_text(), wrong.read_text())


def _run_command(words: list[str], said: Path, wrong: Path) -> None:
    for name in [name for name in os.environ if name.startswith("TEARSHEET_")]:
        del os.environ[name]
    for path, descriptor in ((said, 1), (wrong, 2)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), descriptor)
    app(words)

"""Questions to the embedded index in processes of their own, which are ended when the time is up.

tantivy runs in native code and cannot be interrupted, so a thread that waits for it could only be left behind, still at work. A
process can be ended. It starts with the first question that needs it (0.2 s), is used again, and ends with the index. For one that
was ended another starts at once, so that the next question does not wait for it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tearsheet.engines.index.deadline import seconds_left, too_slow
from tearsheet.engines.index.tantivy_answers import MOST_BYTES, READY, unpack_answer
from tearsheet.engines.index.turns import Turns
from tearsheet.errors import EngineError, TooSlow
from tearsheet.query import Query
from tearsheet.system import require_unix

RUNNING = 2
WAITING = 8
_START_SECONDS = 30.0
_LONGEST_WAIT = 60.0
"""For a turn, when questions may take any time."""
_NEEDED = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "TMPDIR")
"""What a process needs of the environment, which may hold secrets."""


class KillableReaders:
    """Up to two processes that answer questions about one folder, each within `seconds`; 0 means that they may take any time."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._seconds = seconds
        self._turns = Turns(RUNNING, WAITING, seconds or _LONGEST_WAIT)
        self._lock = threading.Lock()
        self._idle: list[_Reader] = []
        self._closed = False

    def ask(self, question: Callable[..., Any], query: Query, *arguments: Any) -> Any:
        """The answer of a method of `WordReader`. Raises TooSlow, BusyError, or what the method does."""
        with self._turns.turn():
            with self._lock:
                reader = self._idle.pop() if self._idle else None
            if reader is None or not reader.alive():
                reader = _Reader(self._folder)
            try:
                answer = reader.ask(question, query, arguments, self._seconds)
            except TooSlow:
                reader.end()
                self._keep(_Reader(self._folder))
                raise
            except BaseException:
                reader.end()
                raise
            self._keep(reader)
        return unpack_answer(answer, question)

    def _keep(self, reader: _Reader) -> None:
        """For the next question."""
        with self._lock:
            if self._closed:
                reader.end()
            else:
                self._idle.append(reader)

    def close(self) -> None:
        """End the processes."""
        with self._lock:
            self._closed = True
            for reader in self._idle:
                reader.end()
            self._idle.clear()


class _Reader:
    """One process."""

    def __init__(self, folder: Path) -> None:
        from multiprocessing.connection import Connection  # few commands need it

        require_unix("a query as expensive as this one")
        ours, its = socket.socketpair()
        with its:
            descriptor = its.fileno()
            command = (
                sys.executable,
                "-P",
                "-m",
                "tearsheet.engines.index.tantivy_child",
                str(folder),
                str(descriptor),
            )
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=(descriptor,),
                env={name: os.environ[name] for name in _NEEDED if name in os.environ},
                start_new_session=True,  # Ctrl-C is for us: it ends when we do
            )
        self._connection = Connection(ours.detach())
        self._folder = folder
        self._ready = False
        self._starts_until = time.monotonic() + _START_SECONDS

    def _wait_until_ready(self) -> None:
        try:
            if not self._connection.poll(max(0.0, self._starts_until - time.monotonic())):
                raise EOFError
            self._connection.recv_bytes(len(READY))
        except (EOFError, OSError) as error:
            raise EngineError(f"{self._folder}: the process for expensive queries does not start") from error
        self._ready = True

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, question: Callable[..., Any], query: Query, arguments: tuple[Any, ...], seconds: float) -> bytes:
        if not self._ready:
            self._wait_until_ready()
        try:
            self._connection.send((question, query, arguments))
            if not self._connection.poll(seconds_left(seconds) or None):
                raise too_slow(query, seconds)
            return self._connection.recv_bytes(MOST_BYTES)
        except (EOFError, OSError) as error:
            raise too_slow(query, seconds, "needed too much memory, or ended the process that worked on it") from error

    def end(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.wait()

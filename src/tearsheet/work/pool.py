"""Worker processes for a stranger's bytes and other heavy work, each confined and with a deadline: see `confine`.

A task that hangs, crashes its process, needs too much memory or answers too much is quarantined, its process is replaced, and the
rest go on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from signal import Signals

import msgspec

from tearsheet.errors import WorkerError
from tearsheet.story import WireStory
from tearsheet.system import require_unix
from tearsheet.work.child import HEAD, OUT_OF_MEMORY, Answer, Charge
from tearsheet.work.confine import Confinement, Limits, environment_of_child
from tearsheet.work.loop_watch import watch_of
from tearsheet.work.outcomes import Quarantine

log = logging.getLogger(__name__)
_START_SECONDS = 60.0
_EXIT_SECONDS = 5.0
_BUFFERED = 1 << 20
_MOST_TO_READY = 1 << 16
DEFAULT_LIMITS = Limits()


class ProcessPool:
    """`size` processes that each work on one task at a time, for `seconds` at most.

    `builder` (`package.module:name`), called with `arguments`, builds what they do. They start when they are needed. A pool
    belongs to one event loop.
    """

    def __init__(
        self, builder: str, arguments: Sequence[str], size: int, seconds: float, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        require_unix("reading pages in processes that are confined")
        charge = msgspec.json.encode(Charge(limits, 2 * seconds + 1)).decode()
        # -P: what lies in the folder where the user happens to be is no code of ours.
        self._command = (sys.executable, "-P", "-m", "tearsheet.work.child", charge, builder, *arguments)
        self._size = size
        self._seconds = seconds
        self._limits = limits
        self._idle: asyncio.LifoQueue[_Child | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._idle.put_nowait(None)
        self._children: set[_Child] = set()
        self._killed: set[_Child] = set()

    @property
    def size(self) -> int:
        """How many tasks are worked on at once."""
        return self._size

    async def run(self, task: bytes, seconds: float | None = None, *, first: bytes = b"") -> bytes:
        """Run one task, perhaps with a deadline of its own. Each process is given `first` once before it: to load code, say.

        Raises Quarantine when it exceeded a limit or ended its process, WorkerError when none can start.
        """
        seconds = self._seconds if seconds is None else min(seconds, self._seconds)
        child = await self._idle.get()
        try:
            if child is None:
                child = await self._start()
            if first and first not in child.prepared:
                async with asyncio.timeout(_START_SECONDS):
                    await child.ask(first)
                child.prepared.add(first)
            async with asyncio.timeout(seconds):  # unlike wait_for, it never takes an answer that came too late
                return await child.ask(task)
        except TimeoutError:
            raise self._ended("timeout", f"took longer than {seconds:g} s and was ended") from None
        except _TooLong as error:
            raise self._ended("answer", f"answered {error} bytes and was ended") from None
        except (EOFError, ConnectionError):
            assert child is not None, "a child that does not start raises WorkerError"
            raise self._ended(*await self._why(child)) from None
        finally:
            if child is not None and not child.healthy:
                self._drop(child)
                child = None
            self._idle.put_nowait(child)

    async def confinement(self) -> Confinement:
        """What confines the processes, as one of them reports it. Raises WorkerError when none can start."""
        child = await self._idle.get()
        try:
            if child is None:
                child = await self._start()
            return child.confinement
        finally:
            self._idle.put_nowait(child)

    async def close(self) -> None:
        """End all processes, and wait until they have: also for those that were ended before."""
        for child in list(self._children):
            self._drop(child)
        while self._killed:
            await self._killed.pop().exit_code()

    def _drop(self, child: _Child) -> None:
        """End a process that is not needed or not sound, without waiting for it."""
        self._killed = {one for one in self._killed if not one.is_over}
        self._children.discard(child)
        self._killed.add(child)
        child.kill()

    async def _start(self) -> _Child:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,  # until it has started
                env=environment_of_child(os.environ),
                limit=_BUFFERED,
                start_new_session=True,  # Ctrl-C is for the supervisor: children end when their input does
            )
        except OSError as error:
            raise WorkerError(f"cannot start a process to read pages in: {error.strerror}") from error
        child = _Child(process, self._limits.answer)
        self._children.add(child)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await child.get_ready()
        except (EOFError, ConnectionError):
            raise WorkerError(f"cannot start a process to read pages in: {await child.last_words()}") from None
        except TimeoutError:
            said = f"it was not ready after {_START_SECONDS:g} s"
            raise WorkerError(f"cannot start a process to read pages in: {said}") from None
        finally:
            if not child.healthy:
                self._drop(child)
        return child

    async def _why(self, child: _Child) -> tuple[str, str]:
        code = await child.exit_code()
        if code == OUT_OF_MEMORY:
            return "memory", f"needed more than {self._limits.memory >> 20} MB of memory and was ended"
        if code < 0:
            return "crash", f"ended its worker process ({Signals(-code).name})"
        return "crash", f"ended its worker process (exit code {code})"

    def _ended(self, reason: str, detail: str) -> Quarantine:
        log.warning("a task ended its process", extra={"reason": reason, "detail": detail})
        if watch := watch_of(asyncio.get_running_loop()):
            watch.ended_processes[reason] += 1
        return Quarantine(reason, detail)


class CpuPool:
    """The processes of a CPU stage: each runs `stage_path` (`package.module:Name`) on one story at a time."""

    def __init__(self, stage_path: str, stage_name: str, size: int, seconds: float) -> None:
        self._pool = ProcessPool("tearsheet.work.child:stage_answering", (stage_path, stage_name), size, seconds)

    @property
    def size(self) -> int:
        """How many stories are worked on at once."""
        return self._pool.size

    async def run(self, wire: WireStory) -> Answer:
        """Process one story. Raises Quarantine when it took too long or its process died."""
        return msgspec.msgpack.decode(await self._pool.run(msgspec.msgpack.encode(wire)), type=Answer)

    async def confinement(self) -> Confinement:
        """What confines the processes, as one of them reports it. Raises WorkerError when none can start."""
        return await self._pool.confinement()

    async def close(self) -> None:
        """End all processes."""
        await self._pool.close()


class _TooLong(Exception):
    """An answer is longer than allowed."""


class _Child:
    confinement: Confinement

    def __init__(self, process: asyncio.subprocess.Process, longest: int) -> None:
        assert process.stdin and process.stdout and process.stderr, "all were requested as pipes"
        self._process = process
        self._requests = process.stdin
        self._answers = process.stdout
        self._errors = process.stderr
        self._longest = longest
        self.healthy = False
        self.prepared: set[bytes] = set()

    async def get_ready(self) -> None:
        """Wait until everything is loaded."""
        self.confinement = msgspec.msgpack.decode(await self._frame(_MOST_TO_READY), type=Confinement)
        self.healthy = True

    async def ask(self, task: bytes) -> bytes:
        """One task in, one answer out. Until the answer is complete, the child counts as unhealthy."""
        self.healthy = False
        self._requests.writelines((HEAD.pack(len(task)), task))
        await self._requests.drain()
        answer = await self._frame(self._longest)
        self.healthy = True
        return answer

    async def _frame(self, longest: int) -> bytes:
        (length,) = HEAD.unpack(await self._answers.readexactly(HEAD.size))
        if length > longest:
            raise _TooLong(length)
        return await self._answers.readexactly(length)

    async def last_words(self) -> str:
        """Why it did not start."""
        code = await self.exit_code()
        lines = (await self._errors.read(_BUFFERED)).decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), f"it ended with exit code {code}")

    def kill(self) -> None:
        """End it at once. The event loop reaps it."""
        if self._process.returncode is None:
            self._process.kill()
        self._requests.close()

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._process.returncode is not None

    async def exit_code(self) -> int:
        """How it ended: soon, because its answers ended or it was killed."""
        try:
            return await asyncio.wait_for(self._process.wait(), _EXIT_SECONDS)
        except TimeoutError:
            self._process.kill()
            return await self._process.wait()

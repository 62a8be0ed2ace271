"""Worker processes for heavy work. A task that hangs or crashes its process is quarantined, and the rest go on."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Sequence

import msgspec

from tearsheet.story import WireStory
from tearsheet.work.child import HEAD, Answer
from tearsheet.work.outcomes import Quarantine

log = logging.getLogger(__name__)
_START_SECONDS = 60.0
_MAX_FRAME = 1 << 30


class ProcessPool:
    """`size` processes that each work on one task at a time.

    `builder` (`package.module:name`), called with `arguments`, builds what they do. They start when they are needed. A pool
    belongs to one event loop.
    """

    def __init__(self, builder: str, arguments: Sequence[str], size: int, seconds: float) -> None:
        self._command = (sys.executable, "-m", "tearsheet.work.child", builder, *arguments)
        self._size = size
        self._seconds = seconds
        self._idle: asyncio.LifoQueue[_Child | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._idle.put_nowait(None)
        self._children: set[_Child] = set()

    @property
    def size(self) -> int:
        """How many tasks are worked on at once."""
        return self._size

    async def run(self, task: bytes) -> bytes:
        """Run one task. Raises Quarantine when it took too long or its process died."""
        child = await self._idle.get()
        try:
            if child is None:
                child = await self._start()
            return await asyncio.wait_for(child.ask(task), self._seconds)
        except TimeoutError:
            raise Quarantine("timeout", f"took longer than {self._seconds:g} s and was ended") from None
        except (EOFError, ConnectionError):
            raise Quarantine("crash", "ended its worker process") from None
        finally:
            if child is not None and not child.healthy:
                await self._end(child)
                child = None
            self._idle.put_nowait(child)

    async def close(self) -> None:
        """End all processes."""
        for child in list(self._children):
            await self._end(child)

    async def _start(self) -> _Child:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            limit=_MAX_FRAME,
            start_new_session=True,  # Ctrl-C is for the supervisor: children end when their input does
        )
        child = _Child(process)
        self._children.add(child)
        await asyncio.wait_for(child.read_frame(), _START_SECONDS)
        child.healthy = True
        return child

    async def _end(self, child: _Child) -> None:
        self._children.discard(child)
        await child.end()


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

    async def close(self) -> None:
        """End all processes."""
        await self._pool.close()


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None, "both were requested as pipes"
        self._process = process
        self._requests = process.stdin
        self._answers = process.stdout
        self.healthy = False

    async def ask(self, task: bytes) -> bytes:
        """One task in, one answer out. Until the answer is complete, the child counts as unhealthy."""
        self.healthy = False
        self._requests.writelines((HEAD.pack(len(task)), task))
        await self._requests.drain()
        answer = await self.read_frame()
        self.healthy = True
        return answer

    async def read_frame(self) -> bytes:
        (length,) = HEAD.unpack(await self._answers.readexactly(HEAD.size))
        return await self._answers.readexactly(length)

    async def end(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._requests.close()

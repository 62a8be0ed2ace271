"""Reading jobs for code that waits for them in a thread: a pool of processes on an event loop of its own.

Commands and the threads of the web server wait for one answer at a time. What is large is then packed and unpacked beside the loop
that answers everyone else.
"""

from __future__ import annotations

import asyncio
import threading

from tearsheet.work.confine import Limits
from tearsheet.work.loop_watch import WatchedLoop
from tearsheet.work.pool import DEFAULT_LIMITS
from tearsheet.work.reading import A, Q, ReadingJob, ReadingPool


class WaitingReader:
    """Does reading jobs in `size` processes, for `seconds` at most. Its thread and its processes start with the first job."""

    def __init__(self, size: int, seconds: float, limits: Limits = DEFAULT_LIMITS) -> None:
        self._pool = ReadingPool(size, seconds, limits)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def read(self, job: ReadingJob[Q, A], question: Q) -> A:
        """Do a job, and wait for its answer. Raises Quarantine, also if it exceeded a limit or ended its process."""
        return asyncio.run_coroutine_threadsafe(self._pool.read(job, question), self._running()).result()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = WatchedLoop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="reading jobs", daemon=True)
                self._thread.start()
            return self._loop

    def close(self) -> None:
        """End the processes and the thread."""
        with self._lock:
            if self._loop is None or self._thread is None:
                return
            asyncio.run_coroutine_threadsafe(self._pool.close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

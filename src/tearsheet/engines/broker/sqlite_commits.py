"""Group commit: one thread owns the connection, and runs all calls that arrived during a transaction as the next one."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from tearsheet.errors import EngineError

_MAX_GROUP = 64
T = TypeVar("T")


class CommitThread:
    """Runs calls on a connection, in the order of their arrival.

    `before_commit` makes what a transaction refers to safe; `after_commit` removes what it no longer needs; `after_failure` forgets
    what it would have made true; `explain` turns the driver's error into the user's.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        before_commit: Callable[[], None],
        after_commit: Callable[[], None],
        after_failure: Callable[[], None],
        explain: Callable[[sqlite3.Error | OSError], Exception],
    ) -> None:
        self._connection = connection
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._after_failure = after_failure
        self._explain = explain
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self.stopped = False
        self._thread = threading.Thread(target=self._serve, name="broker-sqlite", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a call; returns when it is committed."""
        if self.stopped:
            raise EngineError("the broker is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._calls.put(_Call(work, loop, future))
        return await future

    async def stop(self) -> None:
        """Finish the pending calls, and take no more."""
        self.stopped = True
        self._calls.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        while True:
            group: list[_Call] = []
            call = self._calls.get()
            while call is not None:
                group.append(call)
                if len(group) == _MAX_GROUP or self._calls.empty():
                    break
                call = self._calls.get()
            if group:
                self._run_group(group)
            if call is None:
                return

    def _run_group(self, group: list[_Call]) -> None:
        db = self._connection
        try:
            db.execute("BEGIN IMMEDIATE")
            for call in group:
                call.run(db)
            self._before_commit()
            db.execute("COMMIT")
            self._after_commit()
        except (sqlite3.Error, OSError) as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            self._after_failure()
            for call in group:
                call.fail(self._explain(error))
        for call in group:
            call.answer()


class _Call:
    """One call on its way to the thread, and its result on the way back."""

    def __init__(
        self,
        work: Callable[[sqlite3.Connection], object],
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
    ) -> None:
        self._work = work
        self._loop = loop
        self._future = future
        self._result: object = None
        self._error: Exception | None = None

    def run(self, db: sqlite3.Connection) -> None:
        """Run inside a savepoint, so that an error in one call does not undo the others of its group."""
        db.execute("SAVEPOINT call")
        try:
            self._result = self._work(db)
        except (sqlite3.OperationalError, OSError):
            raise  # the disk or the file: the whole group fails
        except Exception as error:
            db.execute("ROLLBACK TO call")
            self._error = error
        db.execute("RELEASE call")

    def fail(self, error: Exception) -> None:
        """The group was not committed."""
        self._error = error

    def answer(self) -> None:
        """Hand the result to the caller's loop."""
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:  # the loop has been closed, so no one is waiting
            return

    def _deliver(self) -> None:
        if self._future.cancelled():
            return
        if self._error is not None:
            self._future.set_exception(self._error)
        else:
            self._future.set_result(self._result)

"""Spoils one chosen statement or commit on PostgreSQL: the server's own errors, or a connection that is lost before or after it.

It sits between SQLAlchemy and the driver, where a statement still has its text. The errors are real: the server itself is made to
raise them or to end the session, and a lost connection is a socket that is shut.
"""

from __future__ import annotations

import os
import re
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy import Engine, event

from tests.support.fault_proxy import Plan

_RAISED = {"serialization": "40001", "deadlock": "40P01", "statement-timeout": "57014", "lock-timeout": "55P03"}
DATABASE_FAULTS = (*_RAISED, "admin-shutdown", "lost-before", "lost-after")


class DatabaseFaults:
    """What `fault_proxy.FaultProxy` is for HTTP servers: `begin` a plan, look at `calls` afterwards."""

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.calls: list[str] = []
        self.spoiled = 0
        self._seen: Counter[str] = Counter()

    def begin(self, plan: Plan | None = None) -> None:
        """Forget the calls before, and spoil the next run as planned."""
        self.plan, self.calls, self.spoiled = plan, [], 0
        self._seen.clear()

    def fault_of(self, kind: str) -> str | None:
        """What happens to a call that has just come."""
        number = self._seen[kind]
        self._seen[kind] += 1
        self.calls.append(kind)
        if self.plan and (self.plan.kind, self.plan.number) == (kind, number):
            self.spoiled += 1
            return self.plan.fault
        return None

    def before_statement(
        self, connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        """Replace a statement by one that fails, or lose the connection."""
        if connection.dialect.name != "postgresql":
            return statement, parameters
        fault = self.fault_of(kind_of(statement))
        driver = connection.connection.dbapi_connection
        if fault == "lost-before":
            _shut(driver)
        elif fault == "lost-after":
            context.lose_after = driver
        elif fault == "admin-shutdown":
            return "SELECT pg_terminate_backend(pg_backend_pid())", [()] if many else ()
        elif fault is not None:
            wrong = f"DO $$ BEGIN RAISE EXCEPTION 'as planned' USING ERRCODE = '{_RAISED[fault]}'; END $$"
            return wrong, [()] if many else ()
        return statement, parameters

    def after_statement(
        self, connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
    ) -> None:
        """Lose the connection after a statement."""
        driver = getattr(context, "lose_after", None)
        if driver is not None:
            _shut(driver)

    def before_commit(self, connection: Any) -> None:
        """Lose the connection before a commit, or after one whose answer is lost; or let the commit fail."""
        if connection.dialect.name != "postgresql":
            return
        fault = self.fault_of("COMMIT")
        driver = connection.connection.dbapi_connection
        if fault == "lost-after":
            driver.execute("COMMIT")
        if fault is not None:
            _shut(driver)


def kind_of(statement: str) -> str:
    """What a statement does to which table: values, numbers and lists make no difference."""
    words = re.sub(r"\s+", " ", statement.strip())
    verb = words.split(" ", 1)[0].upper()
    table = re.search(r"(?i)\b(?:FROM|INTO|UPDATE|TABLE)\s+(?:ONLY\s+)?([\w.\"]+)", words)
    locking = " FOR UPDATE" if "FOR UPDATE" in words else ""
    return f"{verb} {table[1] if table else words[:40]}{locking}"


def _shut(driver: psycopg.Connection[Any]) -> None:
    """Shut the driver's socket, without its knowing."""
    copy = socket.socket(fileno=os.dup(driver.fileno()))
    copy.shutdown(socket.SHUT_RDWR)
    copy.close()


@contextmanager
def spoiled_database() -> Iterator[DatabaseFaults]:
    """Watch every database engine of this process for the time of the block."""
    faults = DatabaseFaults()
    listeners: list[tuple[str, Any, dict[str, bool]]] = [
        ("before_cursor_execute", faults.before_statement, {"retval": True}),
        ("after_cursor_execute", faults.after_statement, {}),
        ("commit", faults.before_commit, {}),
    ]
    for name, listener, options in listeners:
        event.listen(Engine, name, listener, **options)
    try:
        yield faults
    finally:
        for name, listener, _ in listeners:
            event.remove(Engine, name, listener)

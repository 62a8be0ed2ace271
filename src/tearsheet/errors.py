"""The errors that we raise on purpose: one root and three branches, drawn in docs/explanation/errors.md.

- `UserError`: what a user is told. One line that says what to do, and a documented exit code.
- `StoryError`: what ends one story, or puts it off. It is counted in the ledger, and the worker goes on with the next one.
- `WorkerError`: what stops a worker. An engine is away, the disk is full, a lock is held: no story could get any further.

A worker takes anything that its stage raises for the fault of one story, except a `WorkerError`.
"""

from __future__ import annotations


class TearsheetError(Exception):
    """The root. The message is one line; `exit_code` is what the command exits with when nothing handles the error first."""

    exit_code = 1


class UserError(TearsheetError):
    """Something went wrong that the user can act on."""


class StoryError(TearsheetError):
    """Something is wrong with one story, page or document, and with no other."""


class WorkerError(TearsheetError):
    """Nothing can be done for any story until the cause is fixed. Short outages were waited out before this is raised."""


class UsageError(UserError):
    """The command was called with arguments that do not make sense."""

    exit_code = 2


class PartialFailure(UserError):
    """The work was done, but some items of it failed."""

    exit_code = 3


class ConfigError(UserError):
    """A setting is wrong. The message names the setting."""

    exit_code = 4


class NotFoundError(UserError):
    """What was asked for does not exist."""

    exit_code = 5


class ItemRefused(UserError):
    """A server is there and answers other requests, but refuses this one object or document."""

    exit_code = 7


class TooSlow(UserError):
    """A query took longer than it may, and was stopped."""

    exit_code = 8


class BusyError(WorkerError):
    """Something is held by another process: a port, a lock, a data folder."""

    exit_code = 6


class EngineError(WorkerError):
    """A server (database, broker, index, blob store, event log) cannot be reached or refuses us."""

    exit_code = 7


class StorageError(WorkerError):
    """The disk is full or cannot be written. What was acknowledged before is safe."""

    exit_code = 16


EXIT_CODES: dict[int, str] = {
    0: "done, or the reader of the output has left",
    1: "an error without a number of its own, or a question that was answered with no",
    2: "the command line could not be understood",
    3: "done, but some items failed",
    4: "a setting is wrong, or a package that it takes is not installed",
    5: "not found",
    6: "busy: a port, a lock or a data folder is held by another process",
    7: "a server or a store cannot be reached or refuses us",
    8: "a query took longer than `engines.query_seconds` and was stopped",
    11: "interrupted, and stopped cleanly; what runs until it is stopped ends with 0 then",
    16: "the disk is full or cannot be written",
}
"""Every exit code of the `tearsheet` command. The reference page is checked against this table."""

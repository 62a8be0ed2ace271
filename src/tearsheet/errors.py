"""Errors that a user meets: each is one line that says what to do, and each has a documented exit code."""

from __future__ import annotations


class TearsheetError(Exception):
    """Something went wrong that the user can act on. The message is one line; `exit_code` is what the command ends with."""

    exit_code = 1


class UsageError(TearsheetError):
    """The command was called with words that do not fit."""

    exit_code = 2


class PartialFailure(TearsheetError):
    """The work was done, but some items of it failed."""

    exit_code = 3


class ConfigError(TearsheetError):
    """A setting is wrong. The message names the setting."""

    exit_code = 4


class NotFoundError(TearsheetError):
    """What was asked for does not exist."""

    exit_code = 5


class BusyError(TearsheetError):
    """Something is held by another process: a port, a lock, a data folder."""

    exit_code = 6


class EngineError(TearsheetError):
    """A server (database, broker, index, blob store, event log) cannot be reached or refuses us."""

    exit_code = 7


class StorageError(TearsheetError):
    """The disk is full or cannot be written. What was acknowledged before is safe."""

    exit_code = 16


EXIT_CODES: dict[int, str] = {
    0: "done, or the reader of the output has left",
    1: "an error without a number of its own",
    2: "the command line could not be understood",
    3: "done, but some items failed",
    4: "a setting is wrong",
    5: "not found",
    6: "busy: a port, a lock or a data folder is held by another process",
    7: "a server cannot be reached or refuses us",
    11: "interrupted, and stopped cleanly",
    16: "the disk is full or cannot be written",
}
"""Every exit code of the `tearsheet` command. The reference page is checked against this table."""

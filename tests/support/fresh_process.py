"""What a command leaves behind in its process: the process of a user's command ends with it, a test process goes on."""

from __future__ import annotations

import logging

from tearsheet.cli.context import Globals

_LAST_RESORT = logging.lastResort


def forget_commands() -> None:
    """Options and logging as in a process in which no command has run."""
    Globals.data, Globals.flags, Globals.quiet, Globals.pager = None, {}, False, True
    ours = logging.getLogger("tearsheet")
    ours.handlers.clear()
    ours.setLevel(logging.NOTSET)
    ours.propagate = True
    logging.lastResort = _LAST_RESORT

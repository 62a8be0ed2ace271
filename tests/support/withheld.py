"""How long a process was ready to work and got no processor: what a slow answer owes to the machine and not to the program."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def withheld_seconds(process: int) -> float:
    """The time since it began, of all its threads together; 0 where the system does not say."""
    total = 0
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):  # it has just ended
            total += int(thread.read_text("ascii").split()[1])
    return total / 1e9


def processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

"""`tearsheet`, and `python -m tearsheet`, which is the same.

A signal may come while the program still loads, or while a command runs that does not wait for signals itself (see `app.running`).
Then it ends at once: what is written aside is removed, and the exit code is that of any interruption.
"""

from __future__ import annotations

import signal
from types import FrameType

_INTERRUPTED = 11


def main() -> None:
    """Run the command."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as shells do for background jobs
            signal.signal(number, _interrupted)
    from tearsheet.cli import main as run_command  # slow to import

    run_command()


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise SystemExit(_INTERRUPTED)


if __name__ == "__main__":
    main()

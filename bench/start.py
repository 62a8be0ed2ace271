"""How long commands take before their work begins: the processor time of each help, and of completion, in a fresh process.

Run with `make bench-start`. The bars: 0.25 s for `tearsheet --help`, 0.5 s for the others.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory

from typer.main import get_command

from tearsheet.cli import app

ROUNDS = 3
FIRST_BAR, BAR = 0.25, 0.5


def main() -> None:
    """Print a line for each command, the slowest last."""
    commands = get_command(app)
    with TemporaryDirectory() as folder:
        lines: list[tuple[list[str], Mapping[str, str]]] = [(["--help"], {}), (["--version"], {})]
        lines += [([name, "--help"], {}) for name in commands.list_commands(None)]  # type: ignore[attr-defined]
        typed = {"_TEARSHEET_COMPLETE": "complete_bash", "COMP_WORDS": f"tearsheet --data {folder} topic run B"}
        lines.append((["(completion of a topic)"], typed | {"COMP_CWORD": "5"}))
        measured = sorted((seconds(words, environ), " ".join(words)) for words, environ in lines)
    print(f"{'processor':>9}  command")
    for took, name in measured:
        late = took > (FIRST_BAR if name == "--help" else BAR)
        print(f"{took:7.3f} s  tearsheet {name}{'  too slow' if late else ''}")


def seconds(words: Sequence[str], environ: Mapping[str, str]) -> float:
    """The processor time of a process, the least of some rounds: others may use the machine, too."""
    return min(_once(words, environ) for _ in range(ROUNDS))


def _once(words: Sequence[str], environ: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "tearsheet", *([] if environ else words)]
    subprocess.run(command, env={**os.environ, **environ}, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()

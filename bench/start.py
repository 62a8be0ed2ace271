"""How long commands take before their work begins: the processor time of a fresh process for each.

Measured are all helps, a completion, and the commands that only look something up, on a folder with next to nothing in it. Run with
`make bench-start`, which fails when one is above its bar: 0.25 s for `tearsheet --help`, 0.5 s for the others.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.main import get_command

from tearsheet.app import Services
from tearsheet.cli import app
from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import Settings

ROUNDS = 3
FIRST_BAR, BAR = 0.25, 0.5

LOOKING_UP = (
    "queues list", "queues peek fetcher-in", "token list", "feeds list --limit 3", "feeds show 1", "feeds stories 1",
    "sources list", "sources export", "sources gaps --days 3", "collections list", "stats --by source", "status",
    "topic list", "archive list", "archive verify", "pages list", "feeds prune --dry-run", "feeds daily-rss",
)  # fmt: skip
"""Commands that read the database and little else, each with words that the folder of `make_folder` has an answer to."""


def main() -> None:
    """Print a line for each command, the slowest last, and exit with 1 if one is too slow."""
    with TemporaryDirectory() as folder:
        make_folder(Path(folder))
        lines: list[tuple[Sequence[str], Mapping[str, str]]] = [(["--help"], {}), (["--version"], {})]
        lines += [([name, "--help"], {}) for name in get_command(app).list_commands(None)]  # type: ignore[attr-defined]
        lines += [(["--data", folder, *line.split()], {}) for line in (*LOOKING_UP, "search flood", "count flood")]
        typed = {"_TEARSHEET_COMPLETE": "complete_bash", "COMP_WORDS": f"tearsheet --data {folder} topic run B"}
        lines.append((["(completion of a topic)"], typed | {"COMP_CWORD": "5"}))
        measured = sorted((seconds(words, environ), " ".join(words)) for words, environ in lines)
    print(f"{'processor':>9}  command")
    for took, name in measured:
        print(
            f"{took:7.3f} s  tearsheet {name.replace(f'--data {folder} ', '')}{'  too slow' if late(took, name) else ''}"
        )
    sys.exit(any(late(took, name) for took, name in measured))


def make_folder(folder: Path) -> None:
    """A data folder with one feed."""
    with Services(Settings(folder)) as services:
        add_feeds(services.database, [NewFeed("https://a.example/feed")], utc_now())


def late(took: float, name: str) -> bool:
    """Whether a command takes longer than it may."""
    return took > (FIRST_BAR if name == "--help" else BAR)


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

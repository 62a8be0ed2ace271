"""Options that many commands have, so that each reads the same everywhere: the form of the output, and not being asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tearsheet.errors import UsageError
from tearsheet.masking import redacted
from tearsheet.terminal import clean_line

JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
JsonlOption = Annotated[bool, typer.Option("--jsonl", help="As JSON lines.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="As CSV.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def confirm(question: str, yes: bool) -> None:
    """Ask before something is forgotten, unless the user has said `--yes`. Raises typer.Abort."""
    if not yes:
        typer.confirm(clean_line(redacted(question)), abort=True)


def lines_of(path: Path) -> list[str]:
    """The lines of a file that a user named, `-` for stdin, without empty ones. Raises UsageError."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]

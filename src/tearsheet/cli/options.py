"""Options that many commands have, so that each reads the same everywhere: the form of the output, and not being asked."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from tearsheet.archive import parse_date
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


def moment_of(at: str) -> datetime | None:
    """The time that `--at` names; None when it is not given. Raises UsageError."""
    moment = parse_date(at)
    if at and moment is None:
        raise UsageError(f"--at: {at!r} is not a time; write it as 2026-11-15 or 2026-11-15T08:30:00")
    return moment

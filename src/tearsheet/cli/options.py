"""Options that many commands have, so that each reads the same everywhere: the form of the output, and not being asked."""

from __future__ import annotations

from typing import Annotated

import typer

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

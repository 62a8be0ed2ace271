"""Options that many commands have, so that each reads the same everywhere: the form of the output, and not being asked."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import archive as archives
from tearsheet.errors import UsageError, UserError
from tearsheet.masking import redacted
from tearsheet.tables import utf8_text
from tearsheet.terminal import clean_line
from tearsheet.urls import MAX_URL_LENGTH

JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
JsonlOption = Annotated[bool, typer.Option("--jsonl", help="As JSON lines.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="As CSV.")]
LAST_PORT = 65_535
LONGEST_DAYS = 36_500
"""A century: the longest span of days that an option takes, so that no date falls out of the calendar."""
LimitOption = Annotated[int, typer.Option(help="At most this many.", min=1)]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def confirm(question: str, yes: bool) -> None:
    """Ask before something is forgotten, unless the user has said `--yes`. Raises what `ask` raises."""
    if not yes:
        ask(question)


def ask(question: str, *, default: bool = False, err: bool = False) -> None:
    """Ask a person. Raises UserError when the answer is no, UsageError when there is nobody to answer."""
    try:
        agreed = typer.confirm(clean_line(redacted(question)), default=default, err=err)
    except typer.Abort as ended:
        typer.echo(err=True)  # the question stands on a line that has not ended
        if isinstance(ended.__context__, EOFError):
            raise UsageError("there is nobody to answer: give --yes to go on without being asked") from None
        raise KeyboardInterrupt from None
    if not agreed:
        raise UserError("nothing was done: the answer was no")


def lines_of(path: Path) -> list[str]:
    """The lines of a file of ids and addresses that a user named, `-` for stdin, without empty ones. Raises UsageError."""
    try:
        text = sys.stdin.read() if str(path) == "-" else utf8_text(path.read_bytes())
    except (OSError, UnicodeDecodeError, UsageError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    for number, line in lines:
        if len(line) > MAX_URL_LENGTH:
            raise UsageError(
                f"{path}: line {number}: neither an id nor an address has more than {MAX_URL_LENGTH:,} characters"
            )
    if not lines:
        raise UsageError(f"{path}: line 1: there is no story in it")
    return [line for _, line in lines]


def moment_of(at: str, option: str = "--at") -> datetime | None:
    """The time that an option names; None when it is not given. Raises UsageError."""
    moment = archives.parse_date(at) or _with_zone(at)
    if at and moment is None:
        raise UsageError(
            f"{option}: {at!r} is not a time; write it as 2026-11-15, 2026-11-15T08:30:00 or 2026-11-15T08:30:00+01:00"
        )
    return moment


def _with_zone(text: str) -> datetime | None:
    """A time in UTC of one that has a zone, or no seconds; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None

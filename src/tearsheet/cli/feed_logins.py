"""Options by which a feed's server is told who we are. Secrets come from files or a prompt: others can see a command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tearsheet.errors import UsageError
from tearsheet.feeds import read_headers
from tearsheet.tables import utf8_text

_MOST = 100_000

UserOption = Annotated[str | None, typer.Option(help="The user for its server; nothing removes it.")]
PasswordFileOption = Annotated[
    Path | None, typer.Option(help="A file with the password; - for stdin, an empty one removes it.", metavar="FILE")
]
PasswordPromptOption = Annotated[bool, typer.Option("--password-prompt", help="Ask for the password.")]
TokenFileOption = Annotated[Path | None, typer.Option(help="A file with a bearer token.", metavar="FILE")]
CookieFileOption = Annotated[Path | None, typer.Option(help="A file with a cookie, as `name=value`.", metavar="FILE")]
HeaderFileOption = Annotated[
    Path | None, typer.Option(help="A file with further headers, one `Name: value` a line.", metavar="FILE")
]


def login_changes(
    user: str | None,
    password_file: Path | None,
    password_prompt: bool,
    token_file: Path | None,
    cookie_file: Path | None,
    header_file: Path | None,
) -> dict[str, object]:
    """What the options change about what a server is told. Raises UsageError."""
    if password_prompt and password_file is not None:
        raise UsageError("give --password-file or --password-prompt, not both")
    changes: dict[str, object] = {}
    if user is not None:
        changes["username"] = user
    if password_prompt:
        changes["password"] = _asked("Password")
    for name, file in (("password", password_file), ("token", token_file), ("cookie", cookie_file)):
        if file is not None:
            changes[name] = _secret_in(file)
    if header_file is not None:
        changes["headers"] = read_headers(line for line in _secret_in(header_file).splitlines() if line.strip())
    return changes


def _asked(what: str) -> str:
    if not sys.stdin.isatty():
        raise UsageError("there is nobody to ask for the password: give --password-file")
    return str(typer.prompt(what, hide_input=True, err=True))


def _secret_in(file: Path) -> str:
    """The text of a file, without the line break at its end."""
    try:
        body = sys.stdin.buffer.read(_MOST + 1) if str(file) == "-" else _start_of(file)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    if len(body) > _MOST:
        raise UsageError(f"{file} has more than {_MOST:,} bytes: is it the right file?")
    return utf8_text(body).rstrip("\r\n")


def _start_of(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_MOST + 1)

"""The `tearsheet` command: one thin module for each command group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from tearsheet import telemetry
from tearsheet.cli.context import INTERRUPTED, Globals, print_out, reports_errors
from tearsheet.cli.pipes import let_go_of_broken_pipes
from tearsheet.files import keep_private
from tearsheet.log import tell_crash
from tearsheet.terminal import clean

_MODULES = {
    "run": "run",
    "demo": "demo",
    "feeds": "feeds",
    "sources": "sources",
    "collections": "collections",
    "serve": "serve",
    "pipeline": "pipeline",
    "worker": "worker",
    "status": "status",
    "stats": "status",
    "search": "search",
    "count": "search",
    "cite": "cite",
    "index": "index",
    "queues": "queues",
    "archive": "archive",
    "pages": "pages",
    "erase": "erase",
    "topic": "topic",
    "ingest": "ingest",
    "backup": "backup",
    "restore": "backup",
    "token": "token",
    "doctor": "doctor",
    "config": "config_show",
}
"""Each command in the order of the help, and the module that has it. A module is imported only when its command is used:
all of them together take longer to import than most commands take to run."""


class _Commands(TyperGroup):
    """The commands, imported on demand. (`Any` because typer keeps its own copy of click's types to itself.)"""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the options before the command."""
        with _cleaned_errors():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Run one. Ctrl-C while it is still being imported means the same as later, and not typer's 130."""
        try:
            with _cleaned_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: Any) -> list[str]:
        """All of them, in the order of the help."""
        return list(_MODULES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them, with its options; None when there is none with this name."""
        if cmd_name not in _MODULES:
            return None
        if cmd_name not in self.commands:
            part = typer.Typer()
            part.callback()(lambda: None)  # else a lone command would not be a group
            import_module(f"tearsheet.cli.{_MODULES[cmd_name]}").register(part)
            self.commands.update(get_group(part).commands)
        return self.commands[cmd_name]


@contextmanager
def _cleaned_errors() -> Iterator[None]:
    """Typer prints what was typed as it is when it refuses it; others may have written that."""
    try:
        yield
    except Exception as error:
        if callable(format_message := getattr(error, "format_message", None)):
            told = clean(format_message())
            error.format_message = lambda: told  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="tearsheet",
    cls=_Commands,
    help="Collect the news as it is published, keep proof of every page, make it searchable, and map how a topic spreads.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@reports_errors
def _version(value: bool) -> None:
    if value:
        from tearsheet.cli.versions import version_lines  # nothing else needs it

        for line in version_lines():
            print_out(line)
        raise typer.Exit


@app.callback()
def options(
    data: Annotated[
        Path | None, typer.Option(help="The data folder. [default: ./tearsheet-data]", envvar="TEARSHEET_DATA")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="text, json or auto.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only warnings and errors.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the versions of Tearsheet and its engines.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Options that go before any command."""
    keep_private()
    Globals.data = data
    Globals.quiet = quiet
    Globals.flags = {"log.level": log_level or ("warning" if quiet else None), "log.format": log_format}


def main() -> None:
    """Run the command."""
    try:
        app()
    except Exception as error:
        tell_crash(error)
        telemetry.report(error)
        raise SystemExit(1) from None
    finally:
        telemetry.close()
        let_go_of_broken_pipes()

"""The `tearsheet` command: one thin module for each command group."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer._click.shell_completion import CompletionItem  # typer shows its copy of click to nobody
from typer.core import TyperGroup
from typer.main import get_group

from tearsheet import telemetry
from tearsheet.cli.context import Globals, err, print_out, reports_errors
from tearsheet.cli.pipes import let_go_of_broken_pipes
from tearsheet.cli.values import read_quickly
from tearsheet.cli.wording import cleaned_errors, in_plain_words, no_such_command
from tearsheet.errors import StorageError
from tearsheet.files import keep_private
from tearsheet.log import tell_crash
from tearsheet.start import INTERRUPTED

_COMMANDS = {
    "run": ("run", "Poll, fetch, parse, index, archive and serve the web pages, all in one, until stopped."),
    "demo": (
        "demo",
        "Collect a small newsroom of invented sites, served from this machine, with everything that goes wrong on the web.",
    ),
    "feeds": ("feeds", "Add feeds, see how they are, and why each is polled when it is."),
    "sources": ("sources", "Publications, which feeds belong to."),
    "collections": ("collections", "Named sets of sources."),
    "serve": ("serve", "Serve the web pages and the API of a data folder until stopped."),
    "mcp": ("mcp", "Let agents search, count, read and verify stories, by the Model Context Protocol (MCP)."),
    "pipeline": ("pipeline", "Show the pipelines, and run one on files."),
    "worker": ("worker", "Work on some stages until stopped."),
    "status": (
        "status",
        "Show who is at work and how fast, what waits in queues, and whether queuers pause for want of disk space.",
    ),
    "stats": ("status", "Show what became of the stories: how many were archived, dropped, and for which reasons."),
    "search": ("search", "Find stories."),
    "count": ("search", "Count stories: all that match, or by day, week, month, source, language or word."),
    "cite": (
        "cite",
        "Describe a result so that it can be repeated and cited: what was asked, when, and a digest of the stories.",
    ),
    "index": ("index", "Keep the index in order."),
    "queues": ("queues", "Look into the queues, and fix them."),
    "archive": ("archive", "Look at the archive, check it, take stories out, pack and copy them."),
    "pages": ("pages", "The dated page store: put, get, list, check, migrate, import, export."),
    "erase": (
        "erase",
        "Erase stories for good: from index, archive, pages, feeds, topics, ingested documents and queues; they stay away.",
    ),
    "topic": ("topic", "Topics: from a boolean query to a map of who links to whom."),
    "ingest": ("ingest", "Capture web documents whole: hops, metadata, text, pictures and styles."),
    "backup": ("backup", "Back up the data folder while the program runs."),
    "restore": ("backup", "Bring a backup back into an empty folder: everything is checked before it is put in place."),
    "token": ("token", "Make, list and revoke tokens of the web API."),
    "doctor": (
        "doctor",
        "Check folder, disk, engines, stores, readers of pages, who is told of errors, and the port; exit code 1 if one is wrong.",
    ),
    "config": ("config_show", "Settings of the data folder, which its config.toml or the environment sets."),
}
"""Each command in the order of the help, with the module that has it and the first sentence of its help. A module is imported
only when its command is used: all of them together take longer to import than most commands take to run."""


@cache
def _commands_of(module: str) -> dict[str, Any]:
    """The commands of a module by name, imported and built once in a process."""
    part = typer.Typer()
    part.callback()(lambda: None)  # else a lone command would not be a group
    import_module(f"tearsheet.cli.{module}").register(part)
    commands: dict[str, Any] = in_plain_words(get_group(part)).commands
    return commands


class _Commands(TyperGroup):
    """The commands, imported on demand. (`Any` because typer keeps its own copy of click's types to itself.)"""

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Read the options before the command."""
        with cleaned_errors():
            return super().make_context(*args, **more)

    def get_params(self, ctx: Any) -> Any:
        """The options before the command."""
        return read_quickly(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run one. Ctrl-C while it is still being imported means the same as later, and not typer's 130."""
        try:
            with cleaned_errors():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: Any) -> list[str]:
        """All of them, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them, with its options; None when there is none with this name."""
        if cmd_name not in _COMMANDS:
            return None
        return _commands_of(_COMMANDS[cmd_name][0])[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was meant; typer would look for near names only among those that were imported."""
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            ctx.fail(no_such_command(args[0], _COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of the help, without importing them all."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Names of commands and options that begin like this, without importing the commands."""
        named = [(name, about) for name, (_, about) in _COMMANDS.items() if name.startswith(incomplete)]
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [*(CompletionItem(name, help=about) for name, about in named), *options]


app = typer.Typer(
    name="tearsheet",
    cls=_Commands,
    help="Collect the news as it is published, keep proof of every page, make it searchable, and map how a topic spreads.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(value: bool) -> None:
    if value:
        _print_versions()
        raise typer.Exit


@reports_errors
def _print_versions() -> None:
    from tearsheet.cli.versions import version_lines  # nothing else needs it

    for line in version_lines():
        print_out(line)


@app.callback()
def options(
    data: Annotated[
        Path | None,
        typer.Option(help="The data folder. [default: ./tearsheet-data]", envvar="TEARSHEET_DATA", readable=False),
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="text, json or auto.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only warnings and errors.")] = False,
    no_pager: Annotated[
        bool, typer.Option("--no-pager", help="Print long lists as they are. TEARSHEET_PAGER or PAGER names a pager.")
    ] = False,
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
    Globals.pager = not no_pager
    Globals.flags = {"log.level": log_level or ("warning" if quiet else None), "log.format": log_format}


def main() -> None:
    """Run the command."""
    try:
        app(prog_name="tearsheet")
    except Exception as error:
        if isinstance(error, OSError) and not Globals.begun:  # what typer itself printed: a help, a completion
            err.print(f"tearsheet: cannot write the output: {error.strerror}", style="red")
            raise SystemExit(StorageError.exit_code) from None
        tell_crash(error)
        telemetry.report(error)
        raise SystemExit(1) from None
    finally:
        telemetry.close()
        let_go_of_broken_pipes()

"""The `tearsheet` command: one module a command group, thin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tearsheet import __version__
from tearsheet.cli import (
    archive,
    collections,
    config_show,
    demo,
    doctor,
    feeds,
    ingest,
    pages,
    pipeline,
    queues,
    run,
    search,
    serve,
    sources,
    status,
    token,
    topic,
    worker,
)
from tearsheet.cli.context import Globals

app = typer.Typer(
    name="tearsheet",
    help="Collect the news as it is published, keep proof of every page, make it searchable, and map how a topic spreads.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        print(f"tearsheet {__version__}")
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
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before every command."""
    Globals.data = data
    Globals.quiet = quiet
    Globals.flags = {"log.level": log_level or ("warning" if quiet else None), "log.format": log_format}


for module in (
    run,
    demo,
    feeds,
    sources,
    collections,
    serve,
    pipeline,
    worker,
    status,
    search,
    queues,
    archive,
    pages,
    topic,
    ingest,
    token,
    doctor,
    config_show,
):
    module.register(app)


def main() -> None:
    """Run the command."""
    app()

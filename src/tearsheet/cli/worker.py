"""`tearsheet worker`: stages in as many processes and on as many machines as you like."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import pipeline as pipelines
from tearsheet.cli.context import Globals, err, reports_errors, services_for

StagesArgument = Annotated[
    list[str],
    typer.Argument(
        help="queuer (polls the feeds), fetcher, parser, importer or archiver; or others, as in `tearsheet pipeline list`; "
        "or ingest, persist-result, persist-html-text.",
        metavar="STAGE…",
    ),
]
PipelineOption = Annotated[str, typer.Option("--pipeline", "-p", help="Whose stages, as in `tearsheet pipeline list`.")]


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(worker)


@reports_errors
def worker(
    stages: StagesArgument,
    pipeline: PipelineOption = pipelines.DEFAULT,
    processes: Annotated[int, typer.Option("-n", "--processes", help="How many processes.", min=1, max=1000)] = 1,
) -> None:
    """Work on some stages until stopped. Workers may start in any order, on any number of machines.

    They find each other through the broker and the database of the settings; `tearsheet status` shows them all.
    """
    if processes > 1:
        program.run_processes(_command([*stages, "--pipeline", pipeline]), processes)
        return
    with services_for(own=True) as services:
        work = program.prepare_work(services, stages, pipeline)
        err.print(f"at work: {', '.join(stages)}")
        work()


def _command(arguments: list[str]) -> list[str]:
    """The command line that starts one worker with the options of this one."""
    data = [] if Globals.data is None else ["--data", str(Globals.data)]
    flags = [
        argument
        for name in ("level", "format")
        if (value := Globals.flags.get(f"log.{name}"))
        for argument in (f"--log-{name}", value)
    ]
    return [sys.executable, "-P", "-m", "tearsheet", *data, *flags, "worker", *arguments]

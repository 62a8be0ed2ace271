"""`tearsheet worker`: stages in as many processes and on as many machines as you like."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from types import FrameType
from typing import Annotated

import typer

from tearsheet.app import Collector
from tearsheet.cli.context import Globals, err, reports_errors, services_for
from tearsheet.cli.ingest import run_ingest_workers
from tearsheet.errors import EngineError
from tearsheet.ingest import WORKERS
from tearsheet.pipeline import DEFAULT, pipeline_named

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
    pipeline: PipelineOption = DEFAULT,
    processes: Annotated[int, typer.Option("-n", "--processes", help="How many processes.", min=1)] = 1,
) -> None:
    """Work on some stages until stopped. Workers may start in any order, on any number of machines.

    They find each other through the broker and the database of the settings; `tearsheet status` shows them all.
    """
    if processes > 1:
        _run_several([*stages, "--pipeline", pipeline], processes)
        return
    with services_for() as services:
        if set(stages) <= set(WORKERS):
            err.print(f"at work: {', '.join(stages)}", markup=False)
            asyncio.run(run_ingest_workers(services, stages))
            return
        collector = Collector(services, stages, pipeline=pipeline_named(pipeline, services.settings.pipelines))
        err.print(f"at work: {', '.join(stages)}", markup=False)
        asyncio.run(collector.run())


def _run_several(arguments: list[str], processes: int) -> None:
    """Start one process for each worker, and pass a stop on to all of them."""
    data = [] if Globals.data is None else ["--data", str(Globals.data)]
    flags = [
        word
        for name in ("level", "format")
        if (value := Globals.flags.get(f"log.{name}"))
        for word in (f"--log-{name}", value)
    ]
    words = [sys.executable, "-m", "tearsheet", *data, *flags, "worker", *arguments]
    children = [subprocess.Popen(words) for _ in range(processes)]  # noqa: S603 - our own command

    def pass_on(number: int, _: FrameType | None) -> None:
        for child in children:
            with suppress(ProcessLookupError):
                child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    codes = [child.wait() for child in children]
    if any(codes):
        raise EngineError(f"{sum(map(bool, codes))} of {processes} workers ended with an error; see the lines above")

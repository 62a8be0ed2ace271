"""`tearsheet queues`: look into the queues, and mend them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from tearsheet.app import Services
from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.status import depth_rows
from tearsheet.engines.broker import Broker
from tearsheet.errors import NotFoundError, PartialFailure
from tearsheet.pipeline import Dumped, Wanted, dump_queue, load_files
from tearsheet.pipeline.queuers import SUFFIXES, Places, expand
from tearsheet.work import message_summary, requeue

app = typer.Typer(help="Look into the queues, and mend them.", no_args_is_help=True)
T = TypeVar("T")
QueueArgument = Annotated[str, typer.Argument(help="A queue's name, as in `tearsheet queues list`.", metavar="QUEUE")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="queues")


def _with_broker(work: Callable[[Broker], Awaitable[T]]) -> T:
    with services_for() as services:
        return _run(services, work)


def _run(services: Services, work: Callable[[Broker], Awaitable[T]]) -> T:
    async def main() -> T:
        broker = services.open_broker()
        try:
            return await work(broker)
        finally:
            await broker.close()

    return asyncio.run(main())


async def _must_exist(broker: Broker, queue: str) -> None:
    depths = await broker.depths()
    if queue not in depths:
        raise NotFoundError(f"there is no queue {queue!r}; there are: {', '.join(sorted(depths)) or 'none yet'}")


@app.command("list")
@reports_errors
def list_queues(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every queue with what is ready, in work and delayed."""
    depths = _with_broker(lambda broker: broker.depths())
    columns = {"queue": "queue", "ready": "ready", "leased": "in work", "delayed": "delayed"}
    show(depth_rows(depths), columns, form=output_form(json, False, False))


@app.command()
@reports_errors
def peek(
    queue: QueueArgument,
    limit: Annotated[int, typer.Option(help="How many messages.")] = 10,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show the oldest messages of a queue and why they are there; nothing is changed."""

    async def look(broker: Broker) -> list[dict[str, object]]:
        await _must_exist(broker, queue)
        return [message_summary(message) for message in await broker.peek(queue, limit)]

    columns = {"url": "address", "retries": "tries", "what": "reason", "when": "since", "bytes": "bytes"}
    show(_with_broker(look), columns, form=output_form(json, False, False))


@app.command()
@reports_errors
def purge(queue: QueueArgument, yes: YesOption = False) -> None:
    """Delete all messages of a queue that nobody holds."""
    if not yes:
        typer.confirm(f"Delete every story that waits in {queue}?", abort=True)

    async def empty(broker: Broker) -> int:
        await _must_exist(broker, queue)
        return await broker.purge(queue)

    out.print(f"{_with_broker(empty):,} stories deleted from {queue}")


@app.command()
@reports_errors
def delete(queue: QueueArgument, yes: YesOption = False) -> None:
    """Delete a queue and everything in it."""
    if not yes:
        typer.confirm(f"Delete {queue} and every story in it?", abort=True)

    async def remove(broker: Broker) -> int:
        await _must_exist(broker, queue)
        return await broker.delete(queue)

    out.print(f"{queue} deleted, with {_with_broker(remove):,} stories")


@app.command("requeue")
@reports_errors
def requeue_quarantined(
    stage: Annotated[
        str,
        typer.Argument(
            help="The stage whose quarantine is to be tried again: `parser`, or `csv.parser` of another pipeline.",
            metavar="STAGE",
        ),
    ],
    limit: Annotated[int, typer.Option(help="How many stories at most.")] = 1_000_000,
) -> None:
    """Send a stage's quarantined stories through it again, with fresh tries."""
    moved = _with_broker(lambda broker: requeue(broker, stage, limit))
    out.print(f"{moved:,} stories sent back to {stage}")


@app.command("dump-archives")
@reports_errors
def dump_archives(
    queues: Annotated[
        list[str] | None, typer.Argument(help="Queues to be dumped. [default: all]", metavar="[QUEUE]…")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder of the files. [default: queue-dumps in the data folder]")
    ] = None,
    limit: Annotated[int | None, typer.Option("--max", help="Stories of each queue at most.", min=1)] = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Move the stories of queues into WARC files, with their tries and reasons; `load-archives` brings them back.

    Stop the workers first: what they hold is not dumped.
    """
    with services_for() as services:
        folder = output or services.data / "queue-dumps"

        async def dump(broker: Broker) -> list[Dumped]:
            for queue in queues or []:
                await _must_exist(broker, queue)
            chosen = queues or [name for name, depth in sorted((await broker.depths()).items()) if depth.total]
            return [await dump_queue(broker, queue, folder, limit=limit) for queue in chosen]

        dumped = _run(services, dump)
    show(dumped, {"queue": "queue", "stories": "stories", "files": "files"}, form=output_form(json, False, False))


@app.command("load-archives")
@reports_errors
def load_archives(
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Dumped WARC files: files, directories, addresses, blobs or @FILE lists.", metavar="INPUT…"
        ),
    ],
    queue: Annotated[
        str | None, typer.Option(help="Queue for all stories. [default: where each was taken from]")
    ] = None,
    include_domain: Annotated[list[str] | None, typer.Option(help="Only stories of this domain.")] = None,
    exclude_domain: Annotated[list[str] | None, typer.Option(help="No stories of this domain.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and count, and queue nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Put dumped stories back into their queues, with their tries and reasons."""
    wanted = Wanted(queue, frozenset(include_domain or ()), frozenset(exclude_domain or ()), dry_run)
    with services_for() as services:
        places = Places(services.settings.engines.blobs, services.open_blobs)
        files = expand(inputs, places, SUFFIXES)
        loaded = _run(services, lambda broker: load_files(broker, files, wanted))
    rows = [{"queue": name, "stories": count} for name, count in sorted(loaded.queues.items())]
    show(rows, {"queue": "queue", "stories": "stories"}, form=output_form(json, False, False))
    if loaded.left_out and not json:
        out.print(f"{loaded.left_out:,} stories of other domains left out")
    if loaded.damages:
        raise PartialFailure(f"{len(loaded.damages)} places could not be read, the first: {loaded.damages[0]}")

"""`tearsheet queues`: look into the queues, and mend them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.status import depth_rows
from tearsheet.engines.ports import Broker
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.inspect import message_summary, requeue

app = typer.Typer(help="Look into the queues, and mend them.", no_args_is_help=True)
T = TypeVar("T")
QueueArgument = Annotated[str, typer.Argument(help="A queue's name, as in `tearsheet queues list`.", metavar="QUEUE")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="queues")


def _with_broker(work: Callable[[Broker], Awaitable[T]]) -> T:
    async def main(broker: Broker) -> T:
        try:
            return await work(broker)
        finally:
            await broker.close()

    with services_for() as services:
        return asyncio.run(main(services.open_broker()))


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
    stage: Annotated[str, typer.Argument(help="The stage whose quarantine is to be tried again.", metavar="STAGE")],
    limit: Annotated[int, typer.Option(help="How many stories at most.")] = 1_000_000,
) -> None:
    """Send a stage's quarantined stories through it again, with fresh tries."""
    moved = _with_broker(lambda broker: requeue(broker, stage, limit))
    out.print(f"{moved:,} stories sent back to {stage}")

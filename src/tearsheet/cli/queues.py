"""`tearsheet queues`: look into the queues, and fix them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import pipeline as pipelines
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import JsonlOption, JsonOption, YesOption, confirm
from tearsheet.cli.status import NO_QUEUES, QUEUE_COLUMNS
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure

app = typer.Typer(help="Look into the queues, and fix them.", no_args_is_help=True)
_PEEKED = typer.Argument(
    help="A queue's name, as in `tearsheet queues list`.",
    metavar="QUEUE",
    autocompletion=names_of("queues and quarantines"),
)
QueueArgument = Annotated[
    str,
    typer.Argument(
        help="A queue's name, as in `tearsheet queues list`.", metavar="QUEUE", autocompletion=names_of("queues")
    ),
]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="queues")


@app.command("list")
@reports_errors
def list_queues(json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """List every queue with what is ready, in work and delayed, and for how long the oldest ready message has waited."""
    with services_for() as services:
        queues = program.read_queues(services)
    show(queues, QUEUE_COLUMNS, form=output_form(json, jsonl, False), empty=NO_QUEUES)


@app.command()
@reports_errors
def peek(
    queue: Annotated[str, _PEEKED],
    limit: Annotated[int, typer.Option(help="How many messages.")] = 10,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Show the oldest messages of a queue, then those that wait for another try, and why they are there; nothing is changed."""
    with services_for() as services:
        messages = program.peek_queue(services, queue, limit)
    columns = {
        "url": "address",
        "retries": "tries",
        "what": "reason",
        "when": "since",
        "due": "next try",
        "bytes": "bytes",
    }
    show(messages, columns, form=output_form(json, jsonl, False), empty=f"{queue} is empty: no story waits there.")


@app.command()
@reports_errors
def purge(queue: QueueArgument, yes: YesOption = False) -> None:
    """Delete all messages of a queue that nobody holds. The ledger notes each as `purged`."""
    confirm(f"Delete every story waiting in {queue}?", yes)
    with services_for() as services:
        count = program.purge_queue(services, queue)
    out.print(f"{how_many(count, 'story')} deleted from {queue}")


@app.command()
@reports_errors
def delete(queue: QueueArgument, yes: YesOption = False) -> None:
    """Delete a queue and everything in it. The ledger notes each story as `purged`."""
    confirm(f"Delete {queue} and every story in it?", yes)
    with services_for() as services:
        count = program.delete_queue(services, queue)
    out.print(f"{queue} deleted, with {how_many(count, 'story')}")


@app.command("requeue")
@reports_errors
def requeue(
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
    with services_for() as services:
        moved = program.requeue_quarantined(services, stage, limit)
    out.print(
        f"{how_many(moved, 'story')} sent back to {stage}"
        if moved
        else f"there is nothing in the quarantine of {stage}"
    )


@app.command("dump-archives")
@reports_errors
def dump_archives(
    queues: Annotated[
        list[str] | None,
        typer.Argument(
            help="Queues to be dumped. [default: all]", metavar="[QUEUE]…", autocompletion=names_of("queues")
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder of the files. [default: queue-dumps in the data folder]")
    ] = None,
    limit: Annotated[int | None, typer.Option("--max", help="Stories of each queue at most.", min=1)] = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Move the stories of queues into WARC files, with their tries and reasons; `load-archives` brings them back.

    Stop the workers first: what they hold is not dumped.
    """
    with services_for() as services:
        dumped = program.dump_queues(services, queues or [], output, limit)
    show(dumped, {"queue": "queue", "stories": "stories", "files": "files"}, form=output_form(json, jsonl, False))


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
    force: Annotated[bool, typer.Option("--force", help="Load stories that were loaded before, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and count, but queue nothing.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Put dumped stories back into their queues, with their tries and reasons; those that were loaded before are left out."""
    wanted = pipelines.Wanted(queue, frozenset(include_domain or ()), frozenset(exclude_domain or ()), dry_run, force)
    with services_for(begins=True) as services:
        loaded = program.load_dumps(services, inputs, wanted)
    rows = [{"queue": name, "stories": count} for name, count in sorted(loaded.queues.items())]
    show(rows, {"queue": "queue", "stories": "stories"}, form=output_form(json, jsonl, False))
    if loaded.left_out and not (json or jsonl):
        out.print(f"{how_many(loaded.left_out, 'story')} of other domains left out")
    if loaded.known:
        err.print(f"{how_many(loaded.known, 'story', 'was')} loaded before (--force loads them again)")
    if not loaded.queues and not loaded.left_out and not loaded.known and not loaded.damages:
        raise NotFoundError(f"there are no dumped stories in {', '.join(inputs)}: no record from byte 0 on")
    if loaded.damages:
        raise PartialFailure(
            f"{how_many(len(loaded.damages), 'part')} could not be read, the first: {loaded.damages[0]}"
        )

"""`tearsheet status`: who is at work, and what waits in each queue. `tearsheet stats`: what became of the stories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import work
from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import LONGEST_DAYS, CsvOption, JsonlOption, JsonOption
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, UsageError

QUEUE_COLUMNS = {
    "queue": "queue",
    "ready": "ready",
    "leased": "in work",
    "delayed": "delayed",
    "oldest_seconds": "oldest (s)",
}
_FORGOTTEN = "; after {} days (`storage.ledger_days`) it has only sums"
NO_QUEUES = "There are no queues yet: `tearsheet run` makes them."


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.command()(status)
    parent.command()(stats)


@reports_errors
def status(json: JsonOption = False) -> None:
    """Show who is at work and how fast, what waits in queues, and whether queuers pause for want of disk space.

    As JSON, every queue with its depth, also those that are empty.
    """
    with services_for() as services:
        at_work = work.living_workers(services.database)
        queues = program.read_queues(services)
        disk = program.disk_state(services)
    if json:
        workers, waiting = [asdict(worker) for worker in at_work], [asdict(queue) for queue in queues]
        show([{"workers": workers, "queues": waiting, "disk": asdict(disk)}], {}, form="jsonl")
        return
    if at_work:
        columns = {"stage": "stage", "host": "host", "pid": "process", "settled": "stories", "per_second": "a second"}
        show(at_work, columns, title="at work")
    else:
        out.print("No workers are running. Start with: tearsheet run")
    if disk.short:
        out.print(f"Queuers of this machine pause: {disk.short}", style="yellow")
    out.print()
    holding = [queue for queue in queues if queue.ready or queue.leased or queue.delayed]
    nothing = f"Nothing waits in the {how_many(len(queues), 'queue')}: `tearsheet queues list` shows each."
    show(holding, QUEUE_COLUMNS, title="queues" if holding else None, empty=nothing if queues else NO_QUEUES)


class By(StrEnum):
    """What sums can be made by."""

    source = "source"
    feed = "feed"
    domain = "domain"
    day = "day"


@reports_errors
def stats(
    days: Annotated[int, typer.Option(help="How many days back; 0 means all.", min=0, max=LONGEST_DAYS)] = 0,
    by: Annotated[By | None, typer.Option(help="Sum up by this as well.")] = None,
    url: Annotated[
        str | None, typer.Option(help="Show instead every try of the stories with this address, as queued or as found.")
    ] = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Show what became of the stories: how many were archived, dropped, and for which reasons."""
    form = output_form(json, jsonl, csv)
    if url is not None:
        if days or by:
            raise UsageError("--url shows all that is known of one address: use it without --days and --by")
        _show_tries(url, form)
        return
    since: datetime | None = utc_now() - timedelta(days=days) if days else None
    first: dict[str, str] = {}
    with services_for() as services:
        found: Sequence[work.Count] | Sequence[program.OutcomeSum]
        if by is None:
            found = services.ledger.counts(since)
        else:
            found = program.outcome_sums(services, by.value, since)
            first = {"of": by.value} if by in (By.day, By.domain) else {"of": by.value, "name": "name"}
    columns = first | {"stage": "stage", "status": "outcome", "reason": "reason", "stories": "stories"}
    show(found, columns, form=form, empty="No stories yet. Start with: tearsheet run")


def _show_tries(url: str, form: str) -> None:
    with services_for() as services:
        found = services.ledger.explain(url)
        days = services.settings.storage.ledger_days
    if not found:
        raise NotFoundError(
            f"the ledger knows no story with the address {url}{_FORGOTTEN.format(days) if days else ''}"
        )
    columns = {
        "happened_at": "when",
        "stage": "stage",
        "status": "outcome",
        "tries": "try",
        "reason": "reason",
        "detail": "detail",
        "url": "address",
        "link": "queued as",
    }
    show(found, columns, form=form)

"""`tearsheet status`: who is at work, and what waits in each queue. `tearsheet stats`: what became of the stories."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from tearsheet.app import disk_state, read_depths
from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import CsvOption, JsonOption
from tearsheet.clock import utc_now
from tearsheet.engines.broker import Depth
from tearsheet.work import living_workers


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.command()(status)
    parent.command()(stats)


def depth_rows(depths: dict[str, Depth]) -> list[dict[str, Any]]:
    """Queues as rows, by name."""
    rows = []
    for queue, depth in sorted(depths.items()):
        rows.append({"queue": queue, "ready": depth.ready, "leased": depth.leased, "delayed": depth.delayed})
    return rows


@reports_errors
def status(json: JsonOption = False) -> None:
    """Show who is at work and how fast, the depth of every queue, and whether queuers pause for want of disk space."""
    with services_for() as services:
        at_work = living_workers(services.database)
        queues = depth_rows(read_depths(services))
        disk = disk_state(services)
    if json:
        workers = [asdict(worker) for worker in at_work]
        show([{"workers": workers, "queues": queues, "disk": asdict(disk)}], {}, form="jsonl")
        return
    if at_work:
        columns = {"stage": "stage", "host": "host", "pid": "process", "settled": "stories", "per_second": "a second"}
        show(at_work, columns, title="at work")
    else:
        out.print("No workers are running. Start with: tearsheet run")
    if disk.short:
        out.print(f"Queuers of this machine pause: {disk.short}", style="yellow")
    out.print()
    show(queues, {"queue": "queue", "ready": "ready", "leased": "in work", "delayed": "delayed"}, title="queues")


@reports_errors
def stats(
    days: Annotated[int, typer.Option(help="How many days back; 0 means all.")] = 0,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Show what became of the stories: how many were archived, dropped, and for which reasons."""
    since: datetime | None = utc_now() - timedelta(days=days) if days else None
    with services_for() as services:
        counts = services.ledger.counts(since)
    columns = {"stage": "stage", "status": "outcome", "reason": "reason", "stories": "stories"}
    show(counts, columns, form=output_form(json, False, csv), empty="No stories yet. Start with: tearsheet run")

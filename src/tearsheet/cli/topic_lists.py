"""The commands of `tearsheet topic` that list: what became of each page, what people decided, what changed between snapshots."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from shlex import quote
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption
from tearsheet.errors import UsageError

Name = Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))]
_STORIES = {
    "status": "status", "url": "address", "source": "source", "title": "title", "publish_date": "published",
    "iteration": "iteration", "links": "linked by", "state": "state", "why": "why",
}  # fmt: skip
_DECISIONS = {
    "when": "when", "kind": "decision", "subject": "about", "target": "to", "reason": "reason", "undone": "undone",
}  # fmt: skip
_CHANGES = {"change": "change", "subject": "about", "title": "title", "before": "before", "after": "after"}


def add_lists(app: typer.Typer) -> None:
    """Add the commands to the group."""
    for command in (stories, decisions, compare):
        app.command()(reports_errors(command))


def stories(
    name: Name,
    status: Annotated[
        list[str] | None, typer.Option(help="Only pages that are in, out or undecided; may be repeated.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="Only pages of this source; may be repeated.")] = None,
    why: Annotated[str, typer.Option(help="Only pages whose reason contains this.")] = "",
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List the pages that a topic came across: in, out or undecided, and why."""
    if wrong := set(status or ()) - set(topics.STATUSES):
        raise UsageError(f"--status: {min(wrong)!r} is none of {', '.join(topics.STATUSES)}")
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        listed = topics.list_stories(services.database, topic)
    if topic.corrected:
        err.print(f"corrections wait for the next run: `tearsheet topic run {quote(name)}` works out the result")
    rows = [
        one
        for one in listed
        if (not status or one.status in status)
        and (not source or one.source in source)
        and why.casefold() in one.why.casefold()
    ]
    counted = Counter(one.status for one in listed)
    known = ", ".join(f"{counted[one]:,} {one}" for one in topics.STATUSES)
    empty = f"no such page, of {known}" if listed else f"{name!r} has come across no page yet"
    form = output_form(json, jsonl, csv)
    show([asdict(one) for one in rows], _STORIES, form=form, empty=empty)
    if form == "table" and rows:
        out.print(f"{len(rows):,} shown, of {known}")


def decisions(
    name: Name,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that were undone, or replaced by later ones.")
    ] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List what people decided about a topic, when and why."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        made = topics.decisions.decisions(services.database, topic, undone=everything)
    rows = [
        {key: getattr(one, key) for key in _DECISIONS}
        | {"when": one.when.replace(microsecond=0), "undone": one.undone and one.undone.replace(microsecond=0)}
        for one in made
    ]
    empty = f"nobody has decided anything about {name!r}"
    show(rows, _DECISIONS, form=output_form(json, jsonl, csv), empty=empty)


def compare(
    name: Name,
    first: Annotated[int, typer.Argument(help="The number of a snapshot.", metavar="SNAPSHOT")],
    second: Annotated[int, typer.Argument(help="The number of a later one.", metavar="SNAPSHOT")],
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Tell what changed between two snapshots: stories that entered and left, links gained and lost, sources that moved."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        changes = program.compare_snapshots(services, topic, first, second)
    form = output_form(json, jsonl, csv)
    show([asdict(one) for one in changes], _CHANGES, form=form, empty="nothing changed")
    if form == "table" and changes:
        counted = Counter(one.change for one in changes)
        out.print(", ".join(f"{count:,} {change}" for change, count in counted.items()))

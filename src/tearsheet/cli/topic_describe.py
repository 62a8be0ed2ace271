"""`tearsheet topic describe`: a paragraph on methods, from the topic's own record."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import out, reports_errors, services_for, show
from tearsheet.cli.options import JsonOption


@reports_errors
def describe(
    name: Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))],
    snapshot: Annotated[
        int | None, typer.Option("--snapshot", help="A snapshot's number; the newest without it.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write the paragraph on methods for a paper: what was asked, found, left out and decided, with every number.

    It is made from what was kept with the snapshot, so that it stays true; what people judge by `rehearse` is added as it is now.
    """
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        found = program.describe_topic(services, topic, snapshot)
    if not json:
        out.print(found.paragraph)
        return
    low, high = found.precision.interval
    row = {
        "topic": name,
        **asdict(found.result),
        "paragraph": found.paragraph,
        "record": found.record.plain(),
        "precision": {**asdict(found.precision), "share": found.precision.share, "low": low, "high": high},
    }
    show([row], {}, form="json")

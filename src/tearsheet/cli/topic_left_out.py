"""`tearsheet topic left-out`: the addresses that a topic does without, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import output_form, reports_errors, services_for, show
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption
from tearsheet.topics import spider

_COLUMNS = {"url": "address", "state": "state", "reason": "reason", "iteration": "iteration", "links": "linked by"}


@reports_errors
def left_out(
    name: Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))],
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List the addresses that a topic does not follow or could not fetch, with the reason, and how many stories link to each.

    Stories that were read and found not to be about the topic are not among them.
    """
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        found = spider.list_left_out(services.database, topic.id)
    show([asdict(one) for one in found], _COLUMNS, form=output_form(json, jsonl, csv))

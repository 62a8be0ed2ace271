"""`tearsheet topic words`: how parts of a topic differ in what they say."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, output_form, reports_errors, services_for, show
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption, LimitOption
from tearsheet.counts import how_many

if TYPE_CHECKING:
    from tearsheet.app import Comparison
    from tearsheet.topics.snapshot import Part

_COLUMNS = {
    "more_in": "more in", "word": "word", "count": "count", "other_count": "other's", "stories": "stories",
    "other_stories": "other's", "log_odds": "log-odds", "z": "z",
}  # fmt: skip


@reports_errors
def words(
    name: Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))],
    part: Annotated[
        str, typer.Argument(help="A focus, or a timespan's name as `export` writes it.", metavar="FOCUS_OR_TIMESPAN")
    ],
    against: Annotated[str, typer.Option(help="Another one; all other stories of the snapshot without it.")] = "",
    language: Annotated[str, typer.Option(help="Take only stories in this language, as `de`.")] = "",
    names: Annotated[
        bool, typer.Option("--names", help="Compare names, told by their capitals, instead of words.")
    ] = False,
    snapshot: Annotated[
        int | None, typer.Option("--snapshot", help="A snapshot's number; the newest without it.")
    ] = None,
    limit: LimitOption = 20,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the words that tell two foci or periods apart, from the stored texts, the most telling of each first.

    `z` is the log-odds by its standard error, with all their words as prior: beyond 2 or below -2 chance alone is unlikely.
    """
    form = output_form(json, jsonl, csv)
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        found = program.compare_words(
            services,
            topic,
            part,
            against,
            language=language.lower(),
            names=names,
            snapshot=snapshot,
            limit=limit,
            report=said_now_and_then(),
        )
    _say_what_was_read(found, "name" if names else "word")
    show([asdict(row) for row in found.rows], _COLUMNS, form=form)


def _say_what_was_read(found: Comparison, what: str) -> None:
    for part in (found.first, found.other):
        err.print(f"{part.name}: {_read(part, what)}")
    if found.in_both:
        err.print(f"{how_many(found.in_both, 'story', 'is')} in both, and left out")


def _read(part: Part, what: str) -> str:
    told = f"{how_many(sum(part.words.values()), what)} in {how_many(part.texts, 'story')}"
    erased = len(part.stories) - part.texts
    return f"{told}; {how_many(erased, 'story', 'has')} no text any more" if erased else told

"""`tearsheet topic focus`: parts of a topic that are counted separately, defined before a run or long after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.topics import spider
from tearsheet.urls import BadURL

app = typer.Typer(help="Parts of a topic that are counted separately, defined at any time.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))]
_COLUMNS = {"name": "focus", "stories": "stories", "of": "of", "definition": "definition"}
_SAID = 20
"""How many sources without stories are named."""


@app.command()
@reports_errors
def add(
    name: Name,
    focus: Annotated[str, typer.Argument(help="What the focus is called; with --labels, the set.", metavar="FOCUS")],
    query: Annotated[str, typer.Option(help="A boolean query that its stories match.")] = "",
    source: Annotated[
        list[str] | None,
        typer.Option(help="A source of its stories: a domain; may be repeated.", autocompletion=names_of("sources")),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            help="A collection that its sources belong to; may be repeated.", autocompletion=names_of("collections")
        ),
    ] = None,
    language: Annotated[list[str] | None, typer.Option(help="A language, as `de`; may be repeated.")] = None,
    country: Annotated[
        list[str] | None,
        typer.Option(help="A country, as `fr`, that its sources' domains end in; may be repeated."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="A CSV file with the columns `source` and `label`: a focus FOCUS/LABEL for each label."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why, for those who read the topic's record later.")] = "",
) -> None:
    """Define a focus: stories that are all of what is given, and one of several values of the same option.

    Nothing is spidered again. The next snapshot counts the focus; `tearsheet topic snapshot` takes one at any time.
    """
    asked = topics.Focus(
        query.strip(),
        _sources(source or []),
        tuple(collection or ()),
        _languages(language or []),
        _countries(country or []),
    )
    if (labels is None) == (asked == topics.Focus()):
        raise UsageError(
            "say what belongs to the focus: --query, --source, --collection, --language or --country; or --labels FILE alone"
        )
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        read = program.labels_in(labels) if labels else None
        foci = read.foci(focus) if read else {focus: asked}
        sizes = program.define_foci(services, topic, foci, reason)
        if read is None:
            _say(
                [f"{one} has no story in the topic" for one in program.without_stories(services, topic, asked.sources)]
            )
        else:
            known = program.without_stories(services, topic, list(read.by_source))
            _say(list(read.unknown(set(read.by_source) - set(known))))
    for size in sizes:
        counted = "" if size.stories is None else f": {size.stories:,} of {how_many(size.of or 0, 'story')}"
        out.print(f"{size.name}{counted}")
    out.print(
        f"`tearsheet topic snapshot {quote(name)}` counts {'it' if len(sizes) == 1 else 'them'}, as the next run does"
    )
    if read:
        _tell_refused(read.refused)


def _tell_refused(lines: Sequence[str]) -> None:
    for line in lines:
        err.print(f"refused: {line}")
    if lines:
        raise PartialFailure(f"{how_many(len(lines), 'line', 'was')} refused: see above")


def _say(lines: Sequence[str]) -> None:
    for line in lines[:_SAID]:
        err.print(line)
    if len(lines) > _SAID:
        err.print(f"… and {len(lines) - _SAID:,} more sources without a story in it")


def _sources(names: list[str]) -> tuple[str, ...]:
    found = []
    for name in names:
        try:
            found.append(spider.media_of(name if "://" in name else f"http://{name}/"))
        except BadURL as error:
            raise UsageError(f"--source: {name!r} is not a source: {error}") from error
    return tuple(dict.fromkeys(found))


def _languages(codes: list[str]) -> tuple[str, ...]:
    for code in codes:
        if not (code.isascii() and code.isalpha() and len(code) in (2, 3)):
            raise UsageError(f"--language: write it as `de`, and not as {code!r}")
    return tuple(dict.fromkeys(code.lower() for code in codes))


def _countries(codes: list[str]) -> tuple[str, ...]:
    found = [topics.country_of(f"a.{code}") for code in codes]
    for code, country in zip(codes, found, strict=True):
        if not country:
            raise UsageError(
                f"--country: no source is known to be of {code!r}: write a code of two letters, as `fr`, whose domains are its "
                "own; for others name the sources, or label them"
            )
    return tuple(dict.fromkeys(found))


@app.command("list")
@reports_errors
def list_foci(name: Name, json: JsonOption = False, jsonl: JsonlOption = False, csv: CsvOption = False) -> None:
    """List the foci of a topic, with how many stories of its newest snapshot each has."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        sizes = program.sizes_of(services, topic, topic.foci)
    show([asdict(size) for size in sizes], _COLUMNS, form=output_form(json, jsonl, csv))


@app.command()
@reports_errors
def remove(
    name: Name,
    focus: Annotated[str, typer.Argument(help="The focus, or a set of them.", metavar="FOCUS")],
    reason: Annotated[str, typer.Option(help="Why, for those who read the topic's record later.")] = "",
) -> None:
    """Remove a focus, or a whole set. Snapshots that have it stay as they are."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        gone = topics.remove_foci(services.database, topic, focus, reason)
    out.print(f"removed: {', '.join(gone)}; the next snapshot does not count {'it' if len(gone) == 1 else 'them'}")

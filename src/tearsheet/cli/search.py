"""`tearsheet search` and `count`: questions to the index, answers for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import index as answering
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show, show_lines, write_out
from tearsheet.cli.filters import (
    AsOfOption,
    CollectionOption,
    FromOption,
    LanguageOption,
    QueryArgument,
    SourceOption,
    ToOption,
    TopicOption,
    question_of,
    why_none,
)
from tearsheet.cli.layout import story_lines
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption
from tearsheet.cli.pace import counted
from tearsheet.cli.percent import Share
from tearsheet.cli.pieces import Line
from tearsheet.counts import how_many
from tearsheet.errors import UsageError
from tearsheet.files import output_file, storage_errors

if TYPE_CHECKING:
    from tearsheet.engines.index import Index, IndexedStory
    from tearsheet.index import Asked

_NONE = "No stories match."
_BY = ("day", "week", "month", "source", "language", "word")


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.command()(search)
    parent.command()(count)


@reports_errors
def search(
    query: QueryArgument,
    start: FromOption = "",
    end: ToOption = "",
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    topic: TopicOption = None,
    as_of: AsOfOption = "",
    limit: Annotated[int, typer.Option(help="How many stories at most; 0 means all.")] = 20,
    order: Annotated[
        str,
        typer.Option(
            help="newest or oldest first, by day of publication; relevance; or indexed-newest or indexed-oldest, by the time "
            "they were indexed.",
            metavar="ORDER",
        ),
    ] = "newest",
    explain: Annotated[bool, typer.Option("--explain", help="Explain the query in English, and stop.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As JSON, with the full text.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One line of JSON per story, with its full text.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="CSV with the full text.")] = False,
    parquet: Annotated[Path | None, typer.Option(help="Write a Parquet file with the full text.")] = None,
) -> None:
    """Find stories. Exports contain the full text and are streamed, however many stories there are."""
    question = question_of(
        query, start=start, end=end, sources=source, collections=collection, languages=language, topic=topic,
        as_of=as_of, order=order, limit=limit,
    )  # fmt: skip
    with services_for() as services:
        asked = program.ask(services, question).query
        if explain:
            out.print(asked.explain())
            return
        index = program.index_for(services, question)
        index.refresh()
        form = output_form(json, jsonl, csv)
        whole = form != "table" or parquet is not None
        stories = answering.all_stories(index, asked, text=whole, order=question.order, limit=question.limit)
        if parquet is not None:
            with storage_errors(f"cannot write {parquet}"), output_file(parquet) as file:
                written = answering.write_parquet(counted(stories, "stories"), file)
            err.print(f"{how_many(written, 'story')} in {parquet}")
        elif whole:
            lines = {"json": answering.json_lines, "jsonl": answering.jsonl_lines, "csv": answering.csv_lines}[form]
            write_out(lines(counted(stories, "stories")))
        else:
            total = index.count(asked)
            if total:
                show_lines(_blocks(stories, out.width))
            else:
                out.print(why_none(services, question))
            err.print(f"{min(limit or total, total):,} of {how_many(total, 'story')}")
        if whole:
            matching = index.count(asked)
            if not matching:
                err.print(why_none(services, question))
            elif 0 < limit < matching:
                err.print(f"{limit:,} of {how_many(matching, 'story')}; --limit 0 takes all", style="yellow")


def _blocks(stories: Iterable[IndexedStory], width: int | None) -> Iterator[Line]:
    """One story a block, with an empty line between two of them."""
    for number, story in enumerate(stories):
        if number:
            yield []
        facts = [story.canonical_domain, story.publication_date or "no date", story.language]
        yield from story_lines(story.article_title, facts, story.url, width)


@reports_errors
def count(
    query: QueryArgument,
    start: FromOption = "",
    end: ToOption = "",
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    topic: TopicOption = None,
    as_of: AsOfOption = "",
    by: Annotated[str, typer.Option(help="day, week, month, source, language or word.", metavar="WHAT")] = "",
    limit: Annotated[int, typer.Option(help="How many sources, languages or words.")] = 20,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Count stories: all that match, or by day, week, month, source, language or word."""
    question = question_of(
        query,
        start=start,
        end=end,
        sources=source,
        collections=collection,
        languages=language,
        topic=topic,
        as_of=as_of,
    )
    if by and by not in _BY:
        raise UsageError(f"--by: {by!r} is not one of {', '.join(_BY)}")
    form = output_form(json, jsonl, csv)
    with services_for() as services:
        both = program.ask(services, question)
        index = program.index_for(services, question)
        index.refresh()
        if by:
            show(*_counted_by(index, both, by, limit), form=form, empty=_NONE)
        total = answering.answers.count(index, both.query, both.everything)
        if not total.count:
            err.print(why_none(services, question))
    if by:
        return
    if form == "table":
        out.print(f"{total.count:,} of {how_many(total.total, 'story')}")
    else:
        show([{"stories": total.count, "of": total.total}], {"stories": "stories", "of": "of"}, form=form)


def _counted_by(index: Index, both: Asked, by: str, limit: int) -> tuple[list[Any], dict[str, str]]:
    """The rows of a count, and the columns that are shown of them."""
    answers, asked = answering.answers, both.query
    if by == "word":
        return list(answers.words(index, asked, limit)), {"word": "word", "stories": "stories", "looked_at": "of"}
    if by in ("source", "language"):
        most_of = answers.top_sources if by == "source" else answers.languages
        return [{by: name, "stories": n} for name, n in most_of(index, asked, limit)], {by: by, "stories": "stories"}
    rows = [
        {"date": point.date, "stories": point.count, "of": point.total, "share": Share(f"{point.share:.6g}")}
        for point in answers.attention(index, asked, by, both.everything)
    ]
    return rows, {"date": by, "stories": "stories", "of": "of all", "share": "share"}

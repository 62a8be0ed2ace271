"""`tearsheet search` and `count`: questions to the index, answers for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from tearsheet.app import ask
from tearsheet.cli.context import Globals, err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.filters import (
    AsOfOption,
    CollectionOption,
    FromOption,
    LanguageOption,
    QueryArgument,
    SourceOption,
    ToOption,
    question_of,
    why_none,
)
from tearsheet.cli.options import CsvOption, JsonOption
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import UsageError
from tearsheet.files import output_file, storage_errors
from tearsheet.index import answers, csv_lines, jsonl_lines, write_parquet

COLUMNS = {
    "publication_date": "published",
    "canonical_domain": "source",
    "language": "language",
    "article_title": "title",
    "url": "address",
}


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
    as_of: AsOfOption = "",
    limit: Annotated[int, typer.Option(help="How many stories at most; 0 means all.")] = 20,
    order: Annotated[
        str, typer.Option(help="newest or oldest first, by the time they were indexed; or relevance.")
    ] = "newest",
    explain: Annotated[bool, typer.Option("--explain", help="Explain the query in English, and stop.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One line of JSON per story, with its full text.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="CSV with the full text.")] = False,
    parquet: Annotated[Path | None, typer.Option(help="Write a Parquet file with the full text.")] = None,
) -> None:
    """Find stories. Exports contain the full text and are streamed, however many stories there are."""
    question = question_of(
        query, start=start, end=end, sources=source, collections=collection, languages=language, as_of=as_of,
        order=order, limit=limit,
    )  # fmt: skip
    with services_for() as services:
        asked = ask(services, question).query
        if explain:
            out.print(asked.explain())
            return
        index = services.index
        index.refresh()
        whole = jsonl or csv or parquet is not None
        stories = answers.all_stories(index, asked, text=whole, order=question.order, limit=question.limit)
        if parquet is not None:
            with storage_errors(f"cannot write {parquet}"), output_file(parquet) as file:
                written = write_parquet(_counted(stories), file)
            err.print(f"{written:,} stories in {parquet}")
        elif jsonl or csv:
            write_out((jsonl_lines if jsonl else csv_lines)(_counted(stories)))
        else:
            total = index.count(asked)
            show(stories, COLUMNS, empty="" if total else why_none(services, question))
            err.print(f"{min(limit or total, total):,} of {total:,} stories")
        if whole and not index.count(asked):
            err.print(why_none(services, question))


def _counted(stories: Iterable[IndexedStory]) -> Iterator[IndexedStory]:
    """The stories, with a running count on a terminal."""
    if Globals.quiet or not err.is_terminal:
        yield from stories
        return
    with Bar(
        SpinnerColumn(), TextColumn("{task.completed:,} stories"), TimeElapsedColumn(), console=err, transient=True
    ) as bar:
        task = bar.add_task("")
        for story in stories:
            yield story
            bar.advance(task)


@reports_errors
def count(
    query: QueryArgument,
    start: FromOption = "",
    end: ToOption = "",
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    as_of: AsOfOption = "",
    by: Annotated[str, typer.Option(help="day, week, month, source, language or word.")] = "",
    limit: Annotated[int, typer.Option(help="How many sources, languages or words.")] = 20,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Count stories: all that match, or by day, week, month, source, language or word."""
    question = question_of(
        query, start=start, end=end, sources=source, collections=collection, languages=language, as_of=as_of
    )
    form = output_form(json, False, csv)
    with services_for() as services:
        both = ask(services, question)
        asked, everything = both.query, both.everything
        index = services.index
        index.refresh()
        if by in ("day", "week", "month"):
            rows = [
                {"date": point.date, "stories": point.count, "of": point.total, "share": round(point.share, 6)}
                for point in answers.attention(index, asked, by, everything)
            ]
            show(rows, {"date": by, "stories": "stories", "of": "of all", "share": "share"}, form=form)
        elif by in ("source", "language"):
            most_of = answers.top_sources if by == "source" else answers.languages
            show(
                [{by: name, "stories": n} for name, n in most_of(index, asked, limit)],
                {by: by, "stories": "stories"},
                form=form,
            )
        elif by == "word":
            show(
                answers.words(index, asked, limit),
                {"word": "word", "stories": "stories", "looked_at": "of"},
                form=form,
            )
        elif by:
            raise UsageError(f"--by: {by!r} is not one of day, week, month, source, language, word")
        else:
            total = answers.count(index, asked, everything)
            if form == "table":
                out.print(f"{total.count:,} of {total.total:,} stories")
            else:
                show([{"stories": total.count, "of": total.total}], {"stories": "stories", "of": "of"}, form=form)
        if not index.count(asked):
            err.print(why_none(services, question))

"""`tearsheet search`, `count` and `index`: questions to the index, answers for people and for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from tearsheet.archive import StoryArchiveReader
from tearsheet.cli.context import Globals, err, out, output_form, reports_errors, services_for, show
from tearsheet.compose import Services
from tearsheet.engines.index import rebuild_words
from tearsheet.engines.ports import IndexedStory
from tearsheet.errors import UsageError
from tearsheet.feeds.catalog import find_collection
from tearsheet.feeds.directory import places_of
from tearsheet.index import questions
from tearsheet.index.export import csv_lines, jsonl_lines, write_parquet
from tearsheet.index.rebuild import rebuild_from_stories
from tearsheet.query import Query, QueryError, parse_query
from tearsheet.story import Story

QueryArgument = Annotated[
    str, typer.Argument(help="A query, as 'climate AND (policy OR law*)'; '*' is everything.", metavar="QUERY")
]
FromOption = Annotated[str, typer.Option("--from", help="First day of publication, YYYY-MM-DD.")]
ToOption = Annotated[str, typer.Option("--to", help="Last day of publication, YYYY-MM-DD.")]
SourceOption = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source, as example.com; may be repeated.")
]
CollectionOption = Annotated[
    list[str] | None,
    typer.Option("--collection", help="Only sources of this collection, by its name or id; may be repeated."),
]
LanguageOption = Annotated[
    list[str] | None, typer.Option("--language", help="Only this language, as en; may be repeated.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="As CSV.")]
COLUMNS = {
    "publication_date": "published",
    "canonical_domain": "source",
    "language": "language",
    "article_title": "title",
    "url": "address",
}

index_app = typer.Typer(help="Keep the index in order.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.command()(search)
    parent.command()(count)
    parent.add_typer(index_app, name="index")


def _day(text: str, option: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option}: {text!r} is not a day; write it as 2026-11-15") from error


def _query(text: str, start: str, end: str, sources: list[str] | None, languages: list[str] | None) -> Query:
    try:
        query = parse_query(text)
    except QueryError as error:
        raise UsageError(f"the query cannot be read: {' '.join(str(error).split())}") from error
    return query.within(
        start=_day(start, "--from"), end=_day(end, "--to"), domains=sources or None, languages=languages or None
    )


def _of_collections(query: Query, services: Services, names: list[str] | None) -> Query:
    """The query, only for sources of the collections. The database is not opened when none is named."""
    if not names:
        return query
    ids = [find_collection(services.database, name) for name in names]
    domains, sources = places_of(services.database, collection_ids=ids)
    return query.within(domains=domains, sources=sources)


@reports_errors
def search(
    query: QueryArgument,
    start: FromOption = "",
    end: ToOption = "",
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    limit: Annotated[int, typer.Option(help="How many stories at most; 0 means all.")] = 20,
    order: Annotated[str, typer.Option(help="newest, oldest or relevance first.")] = "newest",
    explain: Annotated[bool, typer.Option("--explain", help="Say the query in English, and stop.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="One line of JSON a story, with its full text.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="CSV with the full text.")] = False,
    parquet: Annotated[Path | None, typer.Option(help="Write a Parquet file with the full text.")] = None,
) -> None:
    """Find stories. Exports carry the full text and are streamed, however many they are."""
    asked = _query(query, start, end, source, language)
    if explain:
        out.print(asked.explain(), markup=False)
        return
    with services_for() as services:
        asked = _of_collections(asked, services, collection)
        index = services.index
        index.refresh()
        found = questions.all_stories(index, asked, text=jsonl or csv or parquet is not None, order=order)
        stories = islice(found, limit) if limit else found
        if parquet is not None:
            err.print(f"{write_parquet(_counted(stories), parquet):,} stories in {parquet}", markup=False)
        elif jsonl or csv:
            for line in (jsonl_lines if jsonl else csv_lines)(_counted(stories)):
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        else:
            total = index.count(asked)
            show(stories, COLUMNS)
            err.print(f"{min(limit or total, total):,} of {total:,} stories")


def _counted(stories: Iterable[IndexedStory]) -> Iterator[IndexedStory]:
    """The stories, with their number on a terminal while they pass."""
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
    by: Annotated[str, typer.Option(help="day, week, month, source, language or word.")] = "",
    limit: Annotated[int, typer.Option(help="How many sources, languages or words.")] = 20,
    json: JsonOption = False,
    csv: CsvOption = False,
) -> None:
    """Count stories: all that match, or by day, week, month, source, language or word."""
    asked = _query(query, start, end, source, language)
    everything = _query("*", start, end, source, language)
    form = output_form(json, False, csv)
    with services_for() as services:
        asked, everything = (_of_collections(one, services, collection) for one in (asked, everything))
        index = services.index
        index.refresh()
        if by in ("day", "week", "month"):
            rows = [
                {"date": point.date, "stories": point.count, "of": point.total, "share": round(point.share, 6)}
                for point in questions.attention(index, asked, by, everything)
            ]
            show(rows, {"date": by, "stories": "stories", "of": "of all", "share": "share"}, form=form)
        elif by in ("source", "language"):
            ask = questions.top_sources if by == "source" else questions.languages
            show(
                [{by: name, "stories": n} for name, n in ask(index, asked, limit)],
                {by: by, "stories": "stories"},
                form=form,
            )
        elif by == "word":
            show(
                questions.words(index, asked, limit),
                {"word": "word", "stories": "stories", "looked_at": "of"},
                form=form,
            )
        elif by:
            raise UsageError(f"--by: {by!r} is not one of day, week, month, source, language, word")
        else:
            total = questions.count(index, asked, everything)
            if form == "table":
                out.print(f"{total.count:,} of {total.total:,} stories")
            else:
                show([{"stories": total.count, "of": total.total}], {"stories": "stories", "of": "of"}, form=form)


@index_app.command("rebuild")
@reports_errors
def rebuild(
    archives: Annotated[list[Path] | None, typer.Argument(help="WARC files or folders. [default: the archive]")] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Mend a damaged embedded index from its own stories instead.")
    ] = False,
) -> None:
    """Index every archived story that is not in the index, with its first date. May be stopped and begun again."""
    with services_for() as services:
        if words:
            count = rebuild_words(services.settings.engines.index, services.data, _say)
            out.print(f"the words of {count:,} stories were made anew")
            return
        folders = archives or [services.settings.path(services.settings.archive.folder)]
        report = rebuild_from_stories(services.index, _archived(folders), lambda so_far: _say(so_far.total))
    out.print(
        f"{report.created:,} stories indexed, {report.there_already:,} were there, "
        f"{report.duplicates:,} duplicates, {report.not_indexable:,} could not be indexed"
    )


def _say(stories: int) -> None:
    if err.is_terminal and not Globals.quiet:
        err.print(f"{stories:,} stories read", end="\r")


def _archived(paths: list[Path]) -> Iterator[Story]:
    for path in paths:
        for file in sorted(path.rglob("*.warc.gz")) if path.is_dir() else [path]:
            with StoryArchiveReader(file) as reader:
                yield from reader

"""`tearsheet index`: keep the index in order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import archive as archives
from tearsheet import index as answering
from tearsheet.cli.context import err, out, reports_errors, services_for
from tearsheet.cli.pace import measured
from tearsheet.counts import how_many
from tearsheet.engines import index as indexes
from tearsheet.errors import NotFoundError, PartialFailure
from tearsheet.masking import shown_url

app = typer.Typer(help="Keep the index in order.", no_args_is_help=True)
_MAX_SHOWN = 20


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="index")


@app.command()
@reports_errors
def rebuild(
    archives: Annotated[list[Path] | None, typer.Argument(help="WARC files or folders. [default: the archive]")] = None,
    words: Annotated[
        bool, typer.Option("--words", help="Repair a damaged embedded index from its own stories instead.")
    ] = False,
) -> None:
    """Index every archived story that is not in the index, with its first date. May be stopped and started again.

    Without files it also indexes the stories of topics, for searches with `--topic`; pages that only a topic's spider fetched are
    in no other index.
    Files that were moved to a store are read from there. Ends with 3 when a file could not be read, or not to its end, or a
    story could not be indexed.
    """
    with services_for(begins=bool(archives)) as services:
        if words:
            say = measured("stories read")
            count = indexes.rebuild_words(services.settings.engines.index, services.data, say)
            out.print(f"the words of {how_many(count, 'story')} were rebuilt")
            return
        known = None if archives else services.archive.totals().stories
        report, walked = program.rebuild_index(services, archives or [], measured("stories read", known))
        in_topics = 0 if archives else program.index_topics(services)
        folder = services.captures.copies.folder
    read = report.total or walked.documents or walked.spidered
    if read:
        _say_report(report)
    if in_topics:
        out.print(f"{how_many(in_topics, 'story')} of topics indexed, for searches with --topic")
    _say_where(walked)
    if walked.problems:
        raise PartialFailure(_failure(walked.problems))
    _check_all_indexed(report)
    if read or in_topics:
        return
    if archives:
        raise NotFoundError(f"there are no stories in {', '.join(map(str, archives))}: no record from byte 0 on")
    raise NotFoundError(f"there are no archived stories to index: neither in {folder} nor in a store")


@app.command()
@reports_errors
def copy(
    url: Annotated[
        str,
        typer.Argument(
            help="As opensearch://HOST:9200/mc_search or elasticsearch://HOST:9200/mc_search.", metavar="URL"
        ),
    ],
) -> None:
    """Copy the stories of an index that Media Cloud's story-indexer filled into ours. Nothing is written there.

    They keep their dates and, as `mediacloud_id`, their ids. May be stopped and started again.
    """
    with services_for(begins=True) as services:
        report = program.copy_index(services, url, measured("stories read"))
    if not report.total:
        raise NotFoundError(f"there are no stories in {shown_url(url)}")
    _say_report(report)
    _check_all_indexed(report)


def _check_all_indexed(report: answering.Rebuilt) -> None:
    if report.not_indexable:
        raise PartialFailure(
            f"{how_many(report.not_indexable, 'story')} without an address or a text, or no news, left out"
        )


def _say_report(report: answering.Rebuilt) -> None:
    out.print(
        f"{how_many(report.created, 'story')} indexed, {how_many(report.there_already, '', 'was')} there, "
        f"{how_many(report.duplicates, 'duplicate')}, {report.not_indexable:,} could not be indexed"
    )


def _say_where(walked: archives.Walked) -> None:
    """Print how many files were read, from where, and what in them is not for the index."""
    if walked.documents:
        out.print(
            f"{how_many(walked.documents, 'capture', 'is')} of ingested documents, which are no stories of the index"
        )
    if walked.spidered:
        out.print(
            f"{how_many(walked.spidered, 'page', 'was')} fetched by topics only, and found by searches with --topic only"
        )
    if walked.here or walked.from_stores:
        out.print(f"{how_many(walked.here, 'file')} read here, {walked.from_stores:,} from stores")
    if walked.unregistered:
        err.print(f"{len(walked.unregistered):,} of them are not registered; `tearsheet archive index` does that")


def _failure(problems: list[archives.Problem]) -> str:
    """The final error line; before it, what is wrong with each file is printed."""
    first: dict[str, str] = {}
    for problem in problems:
        where = f"{problem.file}: byte {problem.offset}" if problem.offset is not None else problem.file
        first.setdefault(problem.file, f"{where}: {problem.what}")
    for line in list(first.values())[:_MAX_SHOWN]:
        err.print(line)
    return (
        f"{how_many(len(first), 'file')} could not be read completely, and their stories may be missing from the index"
    )

"""`tearsheet feeds import`, `export` and `sync`: feeds that come from lists and directories, and go out as lists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet.cli.adding import tell
from tearsheet.cli.context import Globals, err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.options import JsonlOption, JsonOption, YesOption, moment_of
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.feeds import catalogue
from tearsheet.files import output_file

_ROWS = {"what": "what", "id": "id", "url": "address", "detail": "details"}
EachOption = Annotated[bool, typer.Option("--each", help="Say what became of each row.")]


def add_commands(group: typer.Typer) -> None:
    """Add the commands to their group."""
    group.command("import")(import_list)
    group.command("export")(export_list)
    group.command("sync")(sync)


@reports_errors
def import_list(
    file: Annotated[Path, typer.Argument(help="An OPML, CSV or JSON file, or one address per line.", metavar="FILE")],
    collection: Annotated[list[str] | None, typer.Option(help="A collection that all sources join.")] = None,
    folder: Annotated[
        list[str] | None, typer.Option(help="A folder that all feeds are in, as Outer/Inner.", metavar="PATH")
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Change feeds that are known already to what the list says.")
    ] = False,
    each: EachOption = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Add the feeds of a list. Folders of OPML become folders of their feeds, and collections of their sources.

    A row means the feed with its id; without one, the feed with its address and, if it names one, of its source.
    """
    new = catalogue.read_feed_list(str(file))
    for feed in new:
        feed.collections += tuple(collection or ())
        feed.folders += tuple(path for text in folder or () for path in catalogue.read_folders(text))
    with services_for(own=True) as services:
        report = catalogue.add_feeds(services.database, new, utc_now(), update=update)
    _show_rows(report, output_form(json, jsonl, False), each or update)
    tell(report)


@reports_errors
def export_list(
    file: Annotated[
        Path | None, typer.Argument(help="A new file; .opml, .csv or .json. [default: to stdout]", metavar="FILE")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="CSV instead of OPML.")] = False,
    json: Annotated[bool, typer.Option("--json", help="JSON as of a directory, for `feeds sync`.")] = False,
) -> None:
    """Write all feeds as OPML with their folders, as CSV with all columns, or as a directory with their ids.

    Logins, tokens, cookies and headers of feeds are in none of them.
    """
    if csv and json:
        raise UsageError("give --csv or --json, not both")
    suffix = file.suffix.lower() if file is not None else ""
    with services_for() as services:
        lines = _lines(
            services, csv=csv or (suffix == ".csv" and not json), json=json or (suffix == ".json" and not csv)
        )
    if file is None:
        write_out(lines)
        return
    try:
        with output_file(file) as stream:
            stream.writelines(lines)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error
    err.print(f"{file} written")


def _lines(services: program.Services, *, csv: bool, json: bool) -> Iterator[bytes]:
    feeds = catalogue.all_feeds(services.database)
    if json:
        return catalogue.write_directory(feeds)
    if csv:
        return catalogue.write_feeds_csv(feeds)
    return (text.encode("utf-8", "replace") for text in catalogue.write_opml(feeds, "Tearsheet"))


@reports_errors
def sync(
    directory: Annotated[
        str, typer.Argument(help="The address of a directory's server, or a JSON or CSV file.", metavar="DIRECTORY")
    ],
    full: Annotated[
        bool, typer.Option("--full", help="Take everything, and remove feeds that it no longer has.")
    ] = False,
    since: Annotated[
        str, typer.Option(help="Only what changed since then. [default: since the last time]", metavar="TIME")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    name: Annotated[
        str | None, typer.Option(help="What the directory is known by. [default: its address, or its file's name]")
    ] = None,
    each: EachOption = False,
    yes: YesOption = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Take feeds over from a directory, with their ids: new ones are added, and those that changed there change here.

    A server is asked as Media Cloud's is; its token is the setting `feeds.directory_token`. Feeds that are not from the directory
    stay as they are, and so do stories and intervals, folders and logins that were set here.
    """

    def say_read(count: int) -> None:
        if err.is_terminal and not Globals.quiet:
            err.show_progress(f"{how_many(count, 'feed')} read …")

    with services_for(own=True) as services:
        report = program.sync_directory(
            services, directory, name=name, full=full, since=moment_of(since, "--since"), dry_run=dry_run, many=yes,
            progress=say_read,
        )  # fmt: skip
    form = output_form(json, jsonl, False)
    _show_rows(report, form, each or dry_run)
    would = "would be " if dry_run else ""
    (err if form != "table" else out).print(
        f"{how_many(len(report.added), 'feed')} {would}added, {len(report.changed):,} {would}changed, "
        f"{len(report.removed):,} {would}removed, {len(report.known):,} {'as before'}"
    )
    _refuse(report)


def _show_rows(report: catalogue.AddReport, form: str, each: bool) -> None:
    """What became of each row: for programs all of them, for people those that are not as before."""
    if form != "table":
        show(report.rows, _ROWS, form=form)
    elif each and (told := [row for row in report.rows if row.what != "known"]):
        show(told, _ROWS)


def _refuse(report: catalogue.AddReport) -> None:
    for url, reason in report.refused:
        err.print(f"refused: {url[:200]}: {reason}")
    if report.refused:
        raise PartialFailure(f"{how_many(len(report.refused), 'feed', 'was')} refused: see above")

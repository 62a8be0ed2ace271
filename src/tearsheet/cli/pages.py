"""`tearsheet pages`: the dated page store."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import pagestore
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption
from tearsheet.cli.pace import measured
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.files import output_file, storage_errors
from tearsheet.tables import csv_table

_MAX_SHOWN = 20
app = typer.Typer(help="The dated page store: put, get, list, check, migrate, import, export.", no_args_is_help=True)
DayOption = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day, as YYYY-MM-DD.")]
SinceOption = Annotated[datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First day.")]
UntilOption = Annotated[datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day.")]
StoreOption = Annotated[
    Path | None, typer.Option("--store", help="Base folder of the store, instead of the setting pages.folder.")
]
KindOption = Annotated[str | None, typer.Option(help="Only pages of this kind: url, rss or rssitem.")]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="pages")


def _store(folder: Path | None, *, begins: bool = False) -> pagestore.PageStore:
    with services_for(begins=begins) as services:
        return program.page_store(services, folder)


def _day(moment: datetime | None) -> date | None:
    return moment.date() if moment is not None else None


def _rows(pages: Iterable[pagestore.StoredPage], base: Path) -> Iterable[dict[str, object]]:
    for page in pages:
        yield {**asdict(page), "day": page.day.isoformat(), "path": str(page.path.relative_to(base))}


@app.command()
@reports_errors
def put(
    url: Annotated[str, typer.Argument(help="Address of the page.")],
    file: Annotated[Path, typer.Argument(help="Its contents; - for stdin.")],
    day: DayOption = None,
    id: Annotated[str | None, typer.Option("--id", help="Id of the page, or of its feed.")] = None,
    kind: Annotated[str, typer.Option(help="url, rss or rssitem.")] = "url",
    language: Annotated[str | None, typer.Option(help="Two letters.")] = None,
    feed: Annotated[str | None, typer.Option(help="Address of the feed that an rssitem belongs to.")] = None,
    store: StoreOption = None,
) -> None:
    """Store one page."""
    content = sys.stdin.buffer.read() if str(file) == "-" else _read(file)
    with services_for(begins=True) as services:
        target = program.page_store(services, store)
        if any(address and services.erased.covers(address) for address in (url, feed)):
            raise UsageError(f"{url[:200]} was erased, and stays away (`tearsheet erase --show` says when and why)")
    page = target.put(url, content, day=_day(day), page_id=id, kind=kind, language=language, feed_url=feed)
    out.print(str(page.path))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise NotFoundError(f"cannot read {file}: {error.strerror}") from error


@app.command()
@reports_errors
def get(
    url: Annotated[str, typer.Argument(help="Address of the page.")],
    day: DayOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    store: StoreOption = None,
) -> None:
    """Print the contents of a page: of one day, or the newest."""
    page = _store(store).get(url, day=_day(day))
    if page is None:
        raise NotFoundError(f"the page store has no page {url!r}" + (f" of {day:%Y-%m-%d}" if day else ""))
    if output:
        with storage_errors(f"cannot write {output}"), output_file(output) as file:
            file.write(page.content())
        err.print(f"{output} written")
    else:
        write_out([page.content()])


@app.command("list")
@reports_errors
def list_pages(
    since: SinceOption = None,
    until: UntilOption = None,
    kind: KindOption = None,
    id: Annotated[str | None, typer.Option("--id", help="Only pages of this id.")] = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv_: CsvOption = False,
    store: StoreOption = None,
) -> None:
    """List pages by day."""
    source = _store(store)
    if kind is not None and kind not in pagestore.KINDS:
        raise UsageError(f"--kind {kind}: use {', '.join(pagestore.KINDS)}")
    pages = source.pages(
        since=_day(since), until=_day(until), kinds=[kind] if kind else None, page_ids=[id] if id else None
    )
    columns = {"day": "day", "kind": "kind", "page_id": "id", "language": "language", "url": "address", "path": "file"}
    narrowed = any(option is not None for option in (since, until, kind, id))
    empty = f"No page in {source.base} is of these days, kinds and ids." if narrowed else _no_pages(source)
    show(_rows(pages, source.base), columns, form=output_form(json, jsonl, csv_), empty=empty)


def _no_pages(store: pagestore.PageStore) -> str:
    return f"There are no pages in {store.base}: `tearsheet pages import FILE…` stores those of WARC files."


@app.command()
@reports_errors
def check(
    repair: Annotated[bool, typer.Option(help="Name orphans in META again, where it is known what they are.")] = False,
    since: SinceOption = None,
    until: UntilOption = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    store: StoreOption = None,
) -> None:
    """List orphans, missing contents and lines that no reader understands. Ends with 3 when there are any."""
    source = _store(store)
    if repair:
        for folder in pagestore.repair_store(source):
            out.print(f"repaired {folder}")
    findings = list(pagestore.check_store(source, since=_day(since), until=_day(until)))
    in_order = f"Nothing is wrong with the pages in {source.base}." if any(source.pages()) else _no_pages(source)
    show(findings, {"path": "where", "what": "what"}, form=output_form(json, jsonl, False), empty=in_order)
    if findings:
        raise PartialFailure(f"{len(findings):,} findings in {source.base}")


@app.command()
@reports_errors
def migrate(
    pages: Annotated[
        Path | None,
        typer.Option(help="CSV with the columns url, id, kind and language: what is known about each page."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    store: StoreOption = None,
) -> None:
    """Bring old META files to five fields, and repair line breaks in them. May be run again."""
    report = pagestore.migrate_store(_store(store), _lookup(pages), dry_run=dry_run, progress=measured("days"))
    would = "would be " if dry_run else ""
    out.print(
        f"{how_many(report.files, 'META file')} with {how_many(report.lines, 'line')}: "
        f"{how_many(report.changed, 'file')} {would}rewritten, {how_many(report.enriched, 'line')} enriched, "
        f"{how_many(report.repaired, 'line break')} repaired, {how_many(len(report.moved), 'folder')} moved"
    )
    if report.unknown:
        raise PartialFailure(
            f"{how_many(len(report.unknown), 'page', 'is')} not known and kept as found: {report.unknown[0]}"
        )


def _lookup(path: Path | None) -> pagestore.Lookup:
    known: dict[str, pagestore.KnownPage] = {}
    if path is not None:
        for line, row in csv_table(path, ["url", "id", "kind", "language"]):
            if row["kind"] not in pagestore.KINDS:
                raise UsageError(f"{path}: line {line}: kind {row['kind'][:40]!r}, use {', '.join(pagestore.KINDS)}")
            known[pagestore.encode_url(row["url"])] = pagestore.KnownPage(row["id"], row["kind"], row["language"])
    return lambda url: known.get(pagestore.encode_url(url))


@app.command("import")
@reports_errors
def import_warc(
    files: Annotated[list[Path], typer.Argument(help="WARC files, ours or others'.")], store: StoreOption = None
) -> None:
    """Store the pages of WARC files under the days on which they were captured."""
    with services_for(begins=True) as services:
        done = program.import_pages(program.page_store(services, store), files, services.erased)
    out.print(f"{how_many(done.stored, 'page')} stored")
    if done.erased:
        err.print(f"{how_many(done.erased, 'page', 'was')} erased here, and not taken in")
    for problem in done.bad[:_MAX_SHOWN]:
        err.print(f"{problem.file}: byte {problem.offset or 0}: {problem.what}")
    if done.bad:
        raise PartialFailure(
            f"{how_many(len(done.bad), 'record')} could not be used; `tearsheet archive verify FILE` says more"
        )


@app.command("export")
@reports_errors
def export_warc(
    folder: Annotated[Path, typer.Argument(help="Folder for the WARC files.")],
    since: SinceOption = None,
    until: UntilOption = None,
    kind: KindOption = None,
    store: StoreOption = None,
) -> None:
    """Write pages as WARC files. Feeds are left out: an archive file holds pages."""
    with services_for() as services:
        found = program.page_store(services, store).pages(
            since=_day(since), until=_day(until), kinds=[kind] if kind else None
        )
        wanted = (page for page in found if page.kind != "rss" or kind is not None)
        pages, files = program.export_pages(services, wanted, folder)
    if not pages:
        raise NotFoundError("there are no such pages: nothing was written (`tearsheet pages list` shows what is there)")
    out.print(f"{how_many(pages, 'page')} in {how_many(files, 'file')}")

"""`tearsheet sources`: publications, which feeds belong to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tearsheet import index as answering
from tearsheet import query as queries
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, from_here, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.filters import CollectionOption
from tearsheet.cli.options import LONGEST_DAYS, CsvOption, JsonlOption, JsonOption, LimitOption, YesOption, confirm
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.feeds import catalogue

if TYPE_CHECKING:
    from tearsheet.app import Services

app = typer.Typer(help="Publications, which feeds belong to.", no_args_is_help=True)
SourceArgument = Annotated[
    str,
    typer.Argument(help="A source's id, domain or homepage.", metavar="SOURCE", autocompletion=names_of("sources")),
]
_COLUMNS = {"id": "id", "name": "name", "domain": "domain", "homepage": "homepage", "collections": "collections"}
_MOST = 1_000_000


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="sources")


@app.command()
@reports_errors
def add(
    sites: Annotated[list[str], typer.Argument(help="Homepages or domains.", metavar="SITE…")],
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    collection: Annotated[list[str] | None, typer.Option(help="A collection that it joins.")] = None,
) -> None:
    """Add sources. `tearsheet feeds discover SITE --add` finds their feeds."""
    _add([catalogue.NewSource(site, name, tuple(collection or ())) for site in sites])


@app.command("import")
@reports_errors
def import_list(
    file: Annotated[Path, typer.Argument(help="A CSV file with a column homepage or domain.", metavar="FILE")],
) -> None:
    """Add the sources of a CSV file."""
    try:
        body = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    try:
        sources = catalogue.read_sources_csv(body)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    _add(sources)


def _add(new: list[catalogue.NewSource]) -> None:
    with services_for(own=True) as services:
        report: catalogue.AddReport = catalogue.add_sources(services.database, new, utc_now())
    out.print(f"{how_many(len(report.added), 'source')} added, {how_many(len(report.known), '', 'was')} known already")
    for site, reason in report.refused:
        err.print(f"refused: {site[:200]}: {reason}")
    if report.refused:
        raise PartialFailure(f"{how_many(len(report.refused), 'source', 'was')} refused: see above")


@app.command("export")
@reports_errors
def export_list() -> None:
    """Write all sources as CSV to stdout, with the names of their collections."""
    with services_for() as services:
        database = services.database
        write_out(
            catalogue.write_sources_csv(
                (
                    source,
                    [item.name for item in catalogue.list_collections(database, source_id=source.id, limit=_MOST).rows],
                )
                for source in catalogue.list_sources(database, limit=_MOST).rows
            )
        )


@app.command("list")
@reports_errors
def list_all(
    name: Annotated[str, typer.Option(help="Only those with this in their name or domain.")] = "",
    limit: LimitOption = 1000,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List sources."""
    with services_for() as services:
        rows = catalogue.list_sources(services.database, name=name, limit=limit).rows
    empty = "No sources. Feeds bring theirs along; others: tearsheet sources add SITE"
    show(rows, _COLUMNS, form=output_form(json, jsonl, csv), empty=empty)


@app.command("show")
@reports_errors
def show_source(source: SourceArgument, json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """Show a source with its feeds and its collections."""
    with services_for() as services:
        database = services.database
        source_id = catalogue.find_source(database, source)
        row = catalogue.read_source(database, source_id)
        feeds = catalogue.feeds_of_source(database, source_id)
        groups = catalogue.list_collections(database, source_id=source_id, limit=_MOST).rows
    if json or jsonl:
        whole = row | {"feeds": feeds, "collections": [group.name for group in groups]}
        show([whole], {}, form=output_form(json, jsonl, False))
        return
    _tell(row, [group.name for group in groups])
    show(feeds, {"id": "id", "url": "address", "system_status": "status", "last_fetch_failures": "failures"})


def _tell(row: Mapping[str, Any], collections: Sequence[str]) -> None:
    out.print(f"{row['name']} ({row['domain']}), source {row['id']}")
    out.print(f"collections: {', '.join(collections) or 'none'}")


@app.command("set")
@reports_errors
def change(
    source: SourceArgument,
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    homepage: Annotated[str | None, typer.Option(help="The address of its homepage.", metavar="ADDRESS")] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(help="A collection that it joins; may be repeated.", autocompletion=names_of("collections")),
    ] = None,
    leave: Annotated[
        list[str] | None,
        typer.Option(help="A collection that it leaves; may be repeated.", autocompletion=names_of("collections")),
    ] = None,
) -> None:
    """Change a source's name or homepage, or the collections that it belongs to."""
    if name is None and homepage is None and not collection and not leave:
        raise UsageError("say what to change: --name, --homepage, --collection or --leave")
    if name is not None and not name.strip():
        raise UsageError("--name: a source needs a name")
    if homepage is not None and not homepage.startswith(("http://", "https://")):
        raise UsageError(f"--homepage: {homepage!r} is no http(s) address")
    with services_for() as services:
        source_id = catalogue.find_source(services.database, source)
        catalogue.change_source(
            services.database,
            source_id,
            utc_now(),
            name=name,
            homepage=homepage,
            join=collection or (),
            leave=leave or (),
        )
        row = catalogue.read_source(services.database, source_id)
        groups = catalogue.list_collections(services.database, source_id=source_id, limit=_MOST).rows
    _tell(row, [group.name for group in groups])


@app.command()
@reports_errors
def merge(
    others: Annotated[
        list[str],
        typer.Argument(
            help="Sources that become one with another.", metavar="SOURCE…", autocompletion=names_of("sources")
        ),
    ],
    into: Annotated[
        str, typer.Option(help="The source that stays.", metavar="SOURCE", autocompletion=names_of("sources"))
    ],
    yes: YesOption = False,
) -> None:
    """Make sources one: their feeds, entries and collections become those of the one that stays.

    Stories that are indexed or archived already keep the source that they had.
    """
    with services_for() as services:
        database = services.database
        kept, merged = catalogue.find_source(database, into), [catalogue.find_source(database, one) for one in others]
        name = catalogue.read_source(database, kept)["name"]
        gone = ", ".join(str(catalogue.read_source(database, one)["name"]) for one in merged)
        confirm(f"Merge {gone} into {name}?", yes)
        feeds = catalogue.merge_sources(database, merged, kept, utc_now())
    out.print(f"{how_many(feeds, 'feed', 'is')} of {name} now")


@app.command()
@reports_errors
def split(
    source: SourceArgument,
    feed: Annotated[list[str], typer.Option(help="A feed of the new source; may be repeated.", metavar="FEED")],
    name: Annotated[str, typer.Option(help="What people call the new source.")],
    homepage: Annotated[
        str | None, typer.Option(help="Its homepage, which says its domain. [default: the same domain]")
    ] = None,
) -> None:
    """Make some feeds of a source, with their entries, those of a new source in the same collections."""
    if not name.strip():
        raise UsageError("--name: a source needs a name")
    with services_for() as services:
        database = services.database
        feeds = [catalogue.find_feed(database, one) for one in feed]
        made = catalogue.split_source(
            database, catalogue.find_source(database, source), feeds, name.strip(), homepage, utc_now()
        )
    out.print(f"{how_many(len(feeds), 'feed', 'is')} of source {made}, {name.strip()}, now")


@app.command()
@reports_errors
def remove(source: SourceArgument, yes: YesOption = False) -> None:
    """Forget a source and its feeds; its stories stay.

    To remove the stories from everywhere, evidence included, use `tearsheet erase --source`.
    """
    with services_for() as services:
        source_id = catalogue.find_source(services.database, source)
        row, feeds = (
            catalogue.read_source(services.database, source_id),
            catalogue.feeds_of_source(services.database, source_id),
        )
        confirm(f"Forget {row['name']} and its {how_many(len(feeds), 'feed')}?", yes)
        removed = catalogue.remove_source(services.database, source_id)
    out.print(f"{row['name']} and {how_many(removed, 'feed')} are forgotten")


@app.command()
@reports_errors
def gaps(
    source: Annotated[
        list[str] | None,
        typer.Argument(help="Domains, as example.com. [default: all]", autocompletion=names_of("sources")),
    ] = None,
    collection: CollectionOption = None,
    days: Annotated[int, typer.Option(help="How many days back.", min=1, max=LONGEST_DAYS)] = 30,
    end: Annotated[str, typer.Option("--to", help="Last day, YYYY-MM-DD. [default: yesterday]")] = "",
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List days on which a source brought far fewer stories than usual, and why, as far as known."""
    last = answering.read_day(end, "--to", last=True) or utc_now().date() - timedelta(days=1)
    if (last - date.min).days < days + 2 * catalogue.LOOK_BACK:
        raise UsageError(f"--to: {last} is before all news; choose a later day")
    first = last - timedelta(days=days - 1)
    with services_for() as services:
        services.index.refresh()
        members = catalogue.members_of(services.database, collections=collection or ())[0]
        domains = {*(_domain_of(services, one) for one in source or ()), *members} if source or collection else None
        found = catalogue.coverage_gaps(services.index, services.ledger, services.database, first, last, domains)
        empty = "" if found else _why_no_gaps(services, first, last, domains)
    columns = {"source": "source", "first": "from", "last": "to", "stories": "stories", "usual": "usual", "why": "why"}
    show(found, columns, form=output_form(json, jsonl, csv), empty=empty)


def _domain_of(services: Services, source: str) -> str:
    """The domain of a source, given as for `find_source`; stories may name one that is not in the catalogue."""
    try:
        return str(catalogue.read_source(services.database, catalogue.find_source(services.database, source))["domain"])
    except NotFoundError:
        if services.index.count(queries.EVERYTHING.within(domains=[source])):
            return source
        raise


def _why_no_gaps(services: Services, first: date, last: date, domains: Collection[str] | None) -> str:
    """What it means that there are none: all is well, or there is nothing to compare."""
    everything = queries.EVERYTHING.within(domains=domains)
    if services.index.count(everything.within(start=first - timedelta(days=catalogue.LOOK_BACK), end=last)):
        return f"No gaps from {first} to {last}, as far as we know what is usual: that takes two weeks."
    known = answering.first_and_last_day(services.index, everything)
    if known is None:
        return f"Nothing to compare: the index of {from_here(services.settings.data)} has no stories of these sources."
    return f"Nothing to compare: no stories up to {last}. There are some from {known[0]} to {known[1]}: try --to {known[1]}"


@app.command("fetch-soon")
@reports_errors
def soon(source: SourceArgument) -> None:
    """Poll the feeds of a source soon, spread over three hours at most."""
    with services_for() as services:
        count = catalogue.fetch_source_soon(
            services.database, catalogue.find_source(services.database, source), utc_now()
        )
    out.print(f"{how_many(count, 'feed')} will be polled soon")

"""`tearsheet collections`: named sets of sources."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.cli.completing import names_of
from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption, LimitOption, YesOption, confirm
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.feeds import catalogue

app = typer.Typer(help="Named sets of sources.", no_args_is_help=True)
Name = Annotated[
    str,
    typer.Argument(help="A collection's name or id.", metavar="COLLECTION", autocompletion=names_of("collections")),
]
Members = Annotated[
    list[str],
    typer.Argument(help="Ids, domains or homepages of sources.", metavar="SOURCE…", autocompletion=names_of("sources")),
]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="collections")


@app.command("list")
@reports_errors
def list_all(
    name: Annotated[str, typer.Option(help="Only those with this in their name.")] = "",
    limit: LimitOption = 1000,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List collections with how many sources each has."""
    with services_for() as services:
        rows = catalogue.list_collections(services.database, name=name, limit=limit).rows
    columns = {"id": "id", "name": "name", "sources": "sources"}
    empty = "No collections. Make one: tearsheet collections add NAME SOURCE…"
    show(rows, columns, form=output_form(json, jsonl, csv), empty=empty)


@app.command("show")
@reports_errors
def show_members(
    collection: Name, json: JsonOption = False, jsonl: JsonlOption = False, csv: CsvOption = False
) -> None:
    """List the sources of a collection."""
    with services_for() as services:
        found = catalogue.find_collection(services.database, collection)
        rows = catalogue.list_sources(services.database, collection_id=found, limit=1_000_000).rows
    show(rows, {"id": "id", "name": "name", "domain": "domain"}, form=output_form(json, jsonl, csv))


@app.command()
@reports_errors
def add(collection: Name, sources: Members) -> None:
    """Put sources into a collection, which is created if there is none with this name."""
    with services_for() as services:
        members = [catalogue.find_source(services.database, source) for source in sources]
        catalogue.change_members(services.database, collection, members, utc_now())
    out.print(f"{how_many(len(members), 'source', 'is')} in {collection}")


@app.command()
@reports_errors
def remove(collection: Name, sources: Members) -> None:
    """Take sources out of a collection."""
    with services_for() as services:
        members = [catalogue.find_source(services.database, source) for source in sources]
        catalogue.change_members(services.database, collection, members, utc_now(), remove=True)
    out.print(f"{how_many(len(members), 'source', 'is')} no longer in {collection}")


@app.command()
@reports_errors
def delete(collection: Name, yes: YesOption = False) -> None:
    """Forget a collection; its sources stay."""
    with services_for() as services:
        found = catalogue.find_collection(services.database, collection)
        confirm(f"Forget the collection {collection}?", yes)
        catalogue.remove_collection(services.database, found)
    out.print(f"the collection {collection} is forgotten; its sources stay")

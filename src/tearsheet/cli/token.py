"""`tearsheet token`: who may use the web API from elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import LONGEST_DAYS, JsonlOption, JsonOption
from tearsheet.clock import utc_now

app = typer.Typer(help="Make, list and revoke tokens of the web API.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="The token's name.", metavar="NAME")]

_NONE = "There are no tokens: `tearsheet token create NAME` makes one."


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="token")


@app.command()
@reports_errors
def create(
    name: NameArgument,
    write: Annotated[bool, typer.Option("--write", help="Let it change things; otherwise it may only read.")] = False,
    days: Annotated[
        int | None, typer.Option(min=1, max=LONGEST_DAYS, help="How many days it lasts. [default: no end]")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="DAY", help="Its last day, UTC, as 2027-01-31.")] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="NAME", help="Show it only the sources of this collection (repeatable)."),
    ] = None,
) -> None:
    """Make a token and print it. It is stored as a hash, so this is the only time that it can be seen."""
    end = program.end_of_token(utc_now(), days, until)
    with services_for(begins=True) as services:
        store = program.TokenStore(services.database)
        secret = store.create(
            name, program.WRITE if write else program.READ, expires_at=end, collections=collection or None
        )
    out.print(secret)
    err.print("Keep it safe: it cannot be shown again. Use it as `Authorization: Token …`.")


@app.command("list")
@reports_errors
def list_tokens(json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """List the tokens: names, rights, collections, end and last use, never the tokens themselves."""
    with services_for() as services:
        tokens = program.TokenStore(services.database).list()
    columns = {
        "name": "name",
        "rights": "may",
        "collections": "only",
        "created_at": "since",
        "expires_at": "until",
        "last_used_at": "last used",
    }
    form = output_form(json, jsonl, False)
    show(map(_shown, tokens) if form == "table" else tokens, columns, form=form, empty=_NONE)


def _shown(token: program.Token) -> dict[str, str | None]:
    """A token as people read it."""
    times = {name: getattr(token, name) for name in ("created_at", "expires_at", "last_used_at")}
    return {
        "name": token.name,
        "rights": token.rights,
        "collections": ", ".join(token.collections) if token.collections else None,
        **{name: time.strftime("%Y-%m-%d %H:%M") if time else None for name, time in times.items()},
    }


@app.command()
@reports_errors
def revoke(name: NameArgument) -> None:
    """Revoke a token: requests with it are refused from now on."""
    with services_for() as services:
        program.TokenStore(services.database).revoke(name)
    out.print(f"{name} revoked")

"""`tearsheet token`: who may use the web API from elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.app import READ, WRITE, TokenStore
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show

app = typer.Typer(help="Make, list and revoke tokens of the web API.", no_args_is_help=True)
NameArgument = Annotated[str, typer.Argument(help="The token's name.", metavar="NAME")]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="token")


@app.command()
@reports_errors
def create(
    name: NameArgument,
    write: Annotated[bool, typer.Option("--write", help="Let it change things; otherwise it may only read.")] = False,
) -> None:
    """Make a token and print it. It is stored as a hash, so this is the only time that it can be seen."""
    with services_for() as services:
        secret = TokenStore(services.database).create(name, WRITE if write else READ)
    out.print(secret, markup=False)
    err.print("Keep it safe: it cannot be shown again. Use it as `Authorization: Token …`.", markup=False)


@app.command("list")
@reports_errors
def list_tokens(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List the tokens: names, rights and last use, never the tokens themselves."""
    with services_for() as services:
        tokens = TokenStore(services.database).list()
    columns = {"name": "name", "rights": "may", "created_at": "since", "last_used_at": "last used"}
    show(tokens, columns, form=output_form(json, False, False))


@app.command()
@reports_errors
def revoke(name: NameArgument) -> None:
    """Revoke a token: requests with it are refused from now on."""
    with services_for() as services:
        TokenStore(services.database).revoke(name)
    out.print(f"{name} revoked", markup=False)

"""`tearsheet serve`: the web pages and the API, without collecting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet.cli.collecting import PortOption, web_service
from tearsheet.cli.context import reports_errors, services_for


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command("serve")(serve_pages)


@reports_errors
def serve_pages(
    host: Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: PortOption = None,
    socket: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Unix socket to listen on instead; only this user can open it."),
    ] = None,
    certificate: Annotated[
        str | None, typer.Option(metavar="FILE", help="Certificate in PEM, to serve HTTPS; needs --key.")
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="FILE", help="Key of the certificate in PEM.")] = None,
) -> None:
    """Serve the web pages and the API of a data folder until stopped."""
    given: dict[str, Any] = {"web__host": host, "web__port": port, "web__socket": _here(socket)}
    given |= {"web__certificate": _here(certificate), "web__key": _here(key)}
    with services_for(begins=True, **given) as services:
        program.serve_alone(web_service(services))


def _here(path: str | None) -> str | None:
    """A path of the command line begins in the current folder, one of the settings in the data folder."""
    return None if path is None else str(Path(path).absolute())

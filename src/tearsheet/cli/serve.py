"""`tearsheet serve`: the web pages and the API, without collecting."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.app import serve_alone
from tearsheet.cli.collecting import PortOption, web_service
from tearsheet.cli.context import reports_errors, services_for


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command("serve")(serve_pages)


@reports_errors
def serve_pages(
    host: Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: PortOption = None,
) -> None:
    """Serve the web pages and the API of a data folder until stopped."""
    with services_for(web__host=host, web__port=port) as services:
        serve_alone(web_service(services))

"""`tearsheet serve`: the web pages and the API, without collecting."""

from __future__ import annotations

import asyncio
import signal
from typing import Annotated

import typer

from tearsheet.cli.context import reports_errors, services_for
from tearsheet.cli.run import PortOption, web_service


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
        service = web_service(services)

        async def main() -> None:
            stop = asyncio.Event()
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, stop.set)
            await service(stop)

        asyncio.run(main())

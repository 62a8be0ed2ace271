"""`tearsheet mcp`: the server for agents."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tearsheet import app as program
from tearsheet.cli.context import err, reports_errors, services_for
from tearsheet.cli.options import LAST_PORT
from tearsheet.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from tearsheet.app import Services
    from tearsheet.work import Service


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command("mcp")(serve_agents)


@reports_errors
def serve_agents(
    http: Annotated[
        bool, typer.Option("--http", help="Listen for clients over HTTP, at /mcp, instead of stdin.")
    ] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on with --http. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on with --http. [default: 8701]", max=LAST_PORT)
    ] = None,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Also offer tools that change something: capturing a page.")
    ] = False,
) -> None:
    """Let agents search, count, read and verify stories, by the Model Context Protocol (MCP).

    Clients start the command and speak through stdin and stdout. What each has seen is in mcp-audit.jsonl of the data folder.
    """
    if not http and (host is not None or port is not None):
        raise UsageError("--host and --port are for --http: add it, or leave them out")
    with services_for(mcp__host=host, mcp__port=port) as services:
        program.serve_alone(_service(services, http, allow_writes))


def _service(services: Services, http: bool, allow_writes: bool) -> Service:
    try:
        from tearsheet.agents import http_service, stdio_service
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise ConfigError("the MCP server needs its library: pip install 'tearsheet[mcp]'") from error
    if not http:
        if sys.stdin is not None and sys.stdin.isatty():
            err.print(
                "For agents:    on stdin and stdout, which their programs connect to; Ctrl-C ends it, --http listens"
            )
        return stdio_service(services, allow_writes=allow_writes)
    return http_service(
        services,
        lambda address: err.print(f"For agents:    {address}"),
        lambda danger: err.print(f"WARNING:       {danger}", style="bold red"),
        allow_writes=allow_writes,
    )

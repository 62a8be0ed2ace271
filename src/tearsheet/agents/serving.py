"""The server for agents as a service: on stdin and stdout, or over HTTP behind the same safeguards as the pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

from tearsheet.agents.server import Agents, make_server
from tearsheet.app import Services
from tearsheet.clock import Clock, wall_clock
from tearsheet.settings import WebSettings
from tearsheet.web import SecurityHeaders, add_safeguards, app_service
from tearsheet.work import Service

PATH = "/mcp"


def stdio_service(services: Services, *, allow_writes: bool) -> Service:
    """One client, which has started us and speaks through stdin and stdout. Raises ConfigError."""
    server = make_server(Agents(services, allow_writes=allow_writes))

    async def talk() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    async def run(stop: asyncio.Event) -> None:
        talking, stopping = asyncio.create_task(talk()), asyncio.create_task(stop.wait())
        await asyncio.wait([talking, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not talking.done():
            talking.cancel()
        await asyncio.gather(talking, return_exceptions=stop.is_set())

    return run


def http_service(
    services: Services, announce: Callable[[str], None], warn: Callable[[str], None], *, allow_writes: bool
) -> Service:
    """Many clients, by HTTP; `announce` is told the address, `warn` what is dangerous about it. Raises BusyError, ConfigError."""
    app, settings = http_app(services, allow_writes=allow_writes), services.settings
    return app_service(
        app, settings, web_settings(services), lambda address: announce(address.rstrip("/") + PATH), warn
    )


def web_settings(services: Services) -> WebSettings:
    """The settings of the pages, at the address of the server for agents."""
    mcp = services.settings.mcp
    return replace(services.settings.web, host=mcp.host, port=mcp.port, socket="")


def http_app(services: Services, *, allow_writes: bool = False, clock: Clock = wall_clock) -> Starlette:
    """The application behind its safeguards. Raises ConfigError.

    Every request stands alone: there are no sessions of the protocol that one client could take over from another, and a budget
    belongs to a token.
    """
    web = web_settings(services)
    server = make_server(Agents(services, allow_writes=allow_writes, clock=clock))
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=web.max_body_bytes
    )
    app = Starlette(
        routes=[Route(PATH, endpoint=StreamableHTTPASGIApp(manager), methods=["POST"])],
        lifespan=lambda _: manager.run(),
    )
    capturing = web.request_seconds + services.settings.ingest.deadline_seconds
    deadlines = {PATH: capturing} if allow_writes else {}
    # Every call is a POST; the tools themselves ask for the right to write.
    add_safeguards(app, services, web, clock, deadlines=deadlines, reading=frozenset({"POST"}), pages=False)
    app.add_middleware(SecurityHeaders)
    return app

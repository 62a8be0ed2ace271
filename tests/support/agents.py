"""The real MCP client, talking to our server: in this process, to a process of its own, or by HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx2
import lazy_loader

from tearsheet.agents.audit import NAME
from tearsheet.app import Services
from tests.support.patience import PATIENCE
from tests.support.tearsheet_command import command

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

mcp = lazy_loader.load("mcp")

T = TypeVar("T")
Talk = Callable[["Client"], Awaitable[T]]


def connect(server: Any, **more: Any) -> Client:
    """A client that says who it is, and waits as long as tests do."""
    who = mcp.Implementation(name="test agent", version="1")
    client: Client = mcp.Client(server, client_info=who, read_timeout_seconds=PATIENCE, **more)
    return client


def talk_here(services: Services, talk: Talk[T], *, allow_writes: bool = False, **more: Any) -> T:
    """Talk to a server in this process, by the protocol of today."""

    from tearsheet.agents.server import Agents, make_server

    async def go() -> T:
        server = make_server(Agents(services, allow_writes=allow_writes, **more))
        async with connect(server) as client:
            return await talk(client)

    return asyncio.run(go())


def talk_to_process(data: Path, talk: Talk[T], *words: str, mode: str = "auto") -> T:
    """Talk to `tearsheet mcp`, as programs for people start it."""
    program, *arguments = command("mcp", *words, data=data)

    async def go() -> T:
        started = mcp.StdioServerParameters(command=program, args=arguments)
        async with connect(started, mode=mode) as client:
            return await talk(client)

    return asyncio.run(go())


def talk_by_http(address: str, talk: Talk[T], *, token: str = "", mode: str = "auto") -> T:
    """Talk to a server that listens."""
    from mcp.client.streamable_http import streamable_http_client

    async def go() -> T:
        headers = {"authorization": f"Token {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
            transport = streamable_http_client(address, http_client=http)
            async with connect(transport, mode=mode) as client:
                return await talk(client)

    return asyncio.run(go())


def body_of(result: CallToolResult) -> dict[str, Any]:
    """What a tool answered; it is the same as data and as text."""
    [content] = result.content
    assert content.type == "text" and not result.is_error, content
    assert json.loads(content.text) == result.structured_content
    return dict(result.structured_content)


def refusal_of(result: CallToolResult) -> str:
    """Why a tool did not answer."""
    [content] = result.content
    assert content.type == "text" and result.is_error, content
    return content.text


def audited(data: Path) -> list[dict[str, Any]]:
    """The lines of the audit log."""
    return [json.loads(line) for line in (data / NAME).read_text("utf-8").splitlines()]

"""The MCP server: lists the tools, and answers a call within its client's budget, with a line in the audit log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import ValidationError

from tearsheet import __version__
from tearsheet.agents import catalogue_tools, story_tools, writing_tools
from tearsheet.agents.audit import AuditLog, Seen
from tearsheet.agents.budget import Allowance, Budgets, BudgetSpent, Room
from tearsheet.agents.calls import Asker, Call, Shared, Tool
from tearsheet.agents.wording import INSTRUCTIONS, NOTICE, as_text, cleaned, visible
from tearsheet.app import IngestForVisitors, Services
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.index import one_deadline
from tearsheet.errors import TearsheetError, UsageError
from tearsheet.web import Site, Visitor, may_not_write

log = logging.getLogger(__name__)
_THREADS = 4
_KEYS = 30
"""Characters that the notice needs around it."""
_ANSWERED = "answered"
_OUR_FAULT = "something went wrong here; the server's log says what"
Context = ServerRequestContext[Any, Any]


@dataclass(slots=True, frozen=True)
class _Given:
    """An answer, the stories in it, and the characters that it counts for: all but the line that says what is left."""

    body: dict[str, Any] = field(default_factory=dict)
    stories: Sequence[str] = ()
    characters: int = 0


class Agents:
    """The tools of a data folder, for one or many clients. Calls of one client are answered one after another."""

    def __init__(self, services: Services, *, allow_writes: bool = False, clock: Clock = wall_clock) -> None:
        """Raises ConfigError."""
        settings = services.settings.mcp
        offered = (*story_tools.TOOLS, *catalogue_tools.TOOLS, *(writing_tools.TOOLS if allow_writes else ()))
        self.tools: dict[str, Tool[Any]] = {tool.name: tool for tool in offered}
        self._budgets = Budgets(Allowance.of(settings), clock)
        self._audit = AuditLog(services.data, settings.audit_bytes)
        self._shared = Shared(Site(services, clock), IngestForVisitors(services.ingest))
        self._threads = ThreadPoolExecutor(_THREADS, "agents")
        self._turns: dict[str, asyncio.Lock] = {}
        self._clock = clock

    async def close(self) -> None:
        """Close what was opened on the event loop, and let calls that are under way end."""
        await self._shared.ingest.close()
        await self._shared.site.close()
        await asyncio.to_thread(self._threads.shutdown)

    async def answer(self, asker: Asker, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Answer one call. What goes wrong is told in the answer; what was shown is in the audit log before it is sent."""
        async with self._turns.setdefault(asker.who, asyncio.Lock()):
            given, outcome = _Given(), _ANSWERED
            try:
                given = await self._given(asker, name, arguments)
            except TearsheetError as error:
                outcome = visible(" ".join(str(error).split()))
            except Exception:
                log.exception("a tool failed", extra={"tool": name[:100]})
                outcome = _OUR_FAULT
            now = utc_now(self._clock)
            seen = Seen(now, asker.who, asker.program, name, arguments, outcome, given.stories, given.characters)
            try:
                await self._in_thread(self._audit.write, seen)
            except TearsheetError as error:
                return _refusal(f"nothing is shown without a line in the audit log: {error}")
        return _shown(given.body) if outcome == _ANSWERED else _refusal(outcome)

    async def _given(self, asker: Asker, name: str, arguments: dict[str, Any]) -> _Given:
        """What is answered, counted in the asker's budget. Raises TearsheetError."""
        tool = self.tools.get(name)
        if tool is None:
            raise UsageError(f"there is no tool {name[:100]!r}; there are {', '.join(self.tools)}")
        asked = _read(tool, arguments)
        room = self._budgets.begin(asker.who)
        if tool.writes and asker.may_not_write:
            raise UsageError(asker.may_not_write)
        call = Call(self._shared, asker, Room(room.stories, room.characters - len(NOTICE) - _KEYS))
        if tool.on_loop is not None:
            found = await tool.on_loop(call, asked)
        else:
            assert tool.work is not None
            found = await self._in_thread(one_deadline()(tool.work), call, asked)
        body = {"notice": NOTICE, **cleaned(found.body)}
        characters = len(as_text(body))
        if characters > room.characters:
            raise BudgetSpent(f"this answer has {characters:,} characters, and there is room for {room.characters:,}")
        left = self._budgets.take(asker.who, len(found.stories), characters)
        return _Given(body | {"budget": left}, found.stories, characters)

    async def _in_thread(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def _read(tool: Tool[Any], arguments: dict[str, Any]) -> Any:
    """What a tool is asked with. Raises UsageError."""
    try:
        return tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "arguments"
        raise UsageError(f"{where[:100]}: {first['msg']}") from None


def _shown(body: dict[str, Any]) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=as_text(body))], structured_content=body)


def _refusal(told: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=told)], is_error=True)


def make_server(agents: Agents) -> Server[Any]:
    """The protocol around the tools."""

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in agents.tools.values()])

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        return await agents.answer(asker_of(context), asked.name, asked.arguments or {})

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            await agents.close()

    server: Server[Any] = Server(
        "tearsheet",
        version=__version__,
        title="Tearsheet",
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.clear()  # it would send traces of calls wherever the environment says
    return server


def _described(tool: Tool[Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=tool.arguments.model_json_schema(),
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=tool.writes
        ),
    )


def asker_of(context: Context) -> Asker:
    """Who makes a call: over HTTP, whom the guard has let in; on stdio, whoever started us."""
    client = context.session.client_params
    program = client.client_info.name if client else ""
    visitor = context.request.scope.get("visitor") if context.request is not None else None
    if isinstance(visitor, Visitor):
        return Asker(visitor.name, program, may_not_write(visitor), visitor.collections)
    if context.request is not None:
        raise AssertionError("the guard lets nobody in without saying who it is")
    return Asker("stdio", program)

"""The tools that change something. They are offered only where the operator has allowed it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tearsheet.agents.calls import Answer, Arguments, Call, Tool
from tearsheet.agents.wording import LONGEST_ADDRESS, cut
from tearsheet.ingest import request_for, result_json


class Capture(Arguments):
    """What `capture_page` is asked with."""

    address: str = Field(description="The address of one web document: http or https.", max_length=1_500)


async def capture(call: Call, asked: Capture) -> Answer:
    """Fetch one web document with everything that belongs to it, and archive it."""
    found = result_json(await call.shared.ingest.ingest(request_for(asked.address)))
    terminal, cdx = found.get("terminal") or {}, found.get("cdx") or {}
    body = {
        "captured": bool(found.get("hit")),
        "outcome": found.get("status"),
        "proof": _proof(cdx, found.get("file_meta") or {}),
        "untrusted": {"address": cut(str(terminal.get("terminal_url") or asked.address), LONGEST_ADDRESS)},
    }
    return Answer(body)


def _proof(cdx: dict[str, Any], file: dict[str, Any]) -> dict[str, Any]:
    if not cdx.get("warc_path"):
        return {"state": "none: nothing was archived"}
    return {
        "state": "archived",
        "file": cdx["warc_path"],
        "offset": cdx.get("warc_offset"),
        "length": cdx.get("warc_csize"),
        "sha256": file.get("sha256hex"),
        "captured_at": cdx.get("datetime"),
    }


TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        "capture_page",
        "Capture a web page",
        "Fetch one web document politely and archive it with its pictures and styles. It is not added to the stories.",
        Capture,
        on_loop=capture,
        writes=True,
    ),
)

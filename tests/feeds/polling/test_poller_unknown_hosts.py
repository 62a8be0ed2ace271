"""Feeds whose host name leads nowhere: there is no such name, or nobody can say. The answers of the name service are fakes."""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta
from pathlib import Path

import pytest

from tearsheet.feeds.polling.schedule import SOFT, TEMPORARY
from tearsheet.fetch.client import Client
from tearsheet.settings import FetchSettings
from tests.support.poll_scene import START, PollScene

NOWHERE = "a" * 64 + ".example"
"""Too long a label for any name service, so that the lookup fails without asking one."""


@pytest.mark.parametrize(
    ("answer", "status", "kind", "weight"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "unknown hostname", "unknown-host", SOFT),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure"), "DNS error", "dns", TEMPORARY),
        (socket.gaierror(socket.EAI_FAIL, "Non-recoverable failure"), "DNS error", "dns", TEMPORARY),
        (TimeoutError(), "DNS error", "dns", TEMPORARY),
    ],
    ids=["no such name", "try again", "broken", "silence"],
)
def test_column_event_and_note(tmp_path: Path, answer: Exception, status: str, kind: str, weight: float) -> None:
    scene = PollScene(tmp_path)
    asked: list[str] = []

    async def lookup(host: str) -> object:
        asked.append(host)
        raise answer

    async def run() -> None:
        client = Client(FetchSettings(), lookup=lookup)
        try:
            await scene.poll(client)
        finally:
            await client.close()

    scene.add(f"http://{NOWHERE}/feed")
    asyncio.run(run())
    row, (event, note) = scene.row(), scene.last_event()
    assert asked == [NOWHERE]
    assert (row.system_status, row.last_fetch_failures, event) == (status, weight, "fetch_failed")
    assert note is not None
    assert note.startswith(f"{status}; {kind}: ")
    assert row.last_fetch_success is None
    assert row.next_fetch_attempt == START + timedelta(minutes=360)
    scene.database.close()

"""The polite client and the reading processes that everyone in an event loop shares."""

import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.fetch import FetchRequest
from tearsheet.settings import Settings
from tests.support.askers import polite_settings
from tests.support.loopback_web import response, serve
from tests.support.reading_jobs import TELL_PID


def test_one_for_each_event_loop_closed_with_its_last_user(tmp_path: Path) -> None:
    async def test(services: Services) -> None:
        async with serve(response(b"x")) as web:
            services.settings.fetch.connect_to |= polite_settings(web.port, 0.0).connect_to
            request = FetchRequest("http://a.example/", obey_robots=False)
            async with AsyncExitStack() as one:
                async with AsyncExitStack() as two:
                    client = services.open_polite(one)
                    assert services.open_polite(two) is client
                    await client.fetch(request)
                await client.fetch(request)
                assert web.connections == 1, "its connections stay open while one is left who uses it"
            async with AsyncExitStack() as three:
                again = services.open_polite(three)
                assert again is not client
                await again.fetch(request)
                assert web.connections == 2

    settings = Settings(tmp_path, fetch=polite_settings(1, 0.0))
    with Services(settings) as services:
        asyncio.run(test(services))
        asyncio.run(test(services))


def test_the_processes_that_read_end_with_their_last_user(tmp_path: Path) -> None:
    async def test(services: Services) -> None:
        async with AsyncExitStack() as one:
            async with AsyncExitStack() as two:
                reader = services.open_reader(one)
                assert services.open_reader(two) is reader
                pid = await reader.read(TELL_PID, None)
            assert await reader.read(TELL_PID, None) == pid != os.getpid(), "it goes on while one is left who uses it"
        assert not Path(f"/proc/{pid}").exists()

    settings = Settings(tmp_path)
    settings.pipeline.parser_processes = 1
    with Services(settings) as services:
        asyncio.run(test(services))
        asyncio.run(test(services))

"""The polite client that everyone in an event loop shares."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.fetch import FetchRequest
from tearsheet.settings import Settings
from tests.support.askers import polite_settings
from tests.support.loopback_web import response, serve


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

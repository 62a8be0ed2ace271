"""A real hub on loopback, from the feed that names it to the poll that its message brings about."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, update

from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.polling import Poller, Subscriber
from tearsheet.feeds.tables import feeds, stories
from tearsheet.fetch import PoliteClient
from tearsheet.settings import FetchSettings
from tearsheet.web.app import create_app
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, rss
from tests.support.loopback_web import Request, response, serve
from tests.support.web_seed import open_services
from tests.support.websub_hub import CHALLENGE, Hub, running_hub

OURS = "http://127.0.0.1"


class Newsroom:
    """A feed, its hub, our server, and a poller with a clock that the test moves."""

    def __init__(self, services, hub: Hub, port: int, client: PoliteClient, ours: httpx.AsyncClient) -> None:
        self.services, self.hub, self.client, self.ours = services, hub, client, ours
        self.topic = f"http://127.0.0.1:{port}/feed"
        self.now = NOW.timestamp()
        self.published = ["http://n.example/2026/one.html"]

    async def poll(self) -> None:
        poller = Poller(
            self.services.database, self.client, ThreadReader(), self.services.settings.feeds, clock=lambda: self.now
        )
        await poller.run(asyncio.Event(), once=True)

    async def ask_hub(self) -> None:
        await Subscriber(
            self.services.database, self.client, self.services.settings.feeds, clock=lambda: self.now
        ).once()

    def urls(self) -> list[str]:
        with self.services.database.read() as connection:
            return list(connection.execute(select(stories.c.url).order_by(stories.c.id)).scalars())


@asynccontextmanager
async def newsroom(folder: Path) -> AsyncIterator[Newsroom]:
    rooms: list[Newsroom] = []

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        link = f'Link: <{rooms[0].hub.url}>; rel="hub", <{rooms[0].topic}>; rel="self"'
        writer.write(response(rss(*rooms[0].published), headers=("Content-Type: application/rss+xml", link)))

    with open_services(folder) as services:
        services.settings.feeds.callback_url = OURS
        services.settings.feeds.interval_seconds = 0.0
        fetch = FetchSettings(allow_addresses=["127.0.0.0/8"], manners_off={"*": "pace"})
        app = create_app(services, clock=lambda: rooms[0].now)
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 1234))
        async with (
            running_hub() as hub,
            serve(answer) as web,
            PoliteClient(fetch) as client,
            httpx.AsyncClient(transport=transport, base_url=OURS) as ours,
        ):
            rooms.append(Newsroom(services, hub, web.port, client, ours))
            add_feeds(services.database, [NewFeed(rooms[0].topic)], NOW)
            yield rooms[0]


def test_news_that_a_hub_tells_of_is_there_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with newsroom(tmp_path) as room:
            await room.poll()
            await room.ask_hub()
            [form] = room.hub.forms
            assert (form["hub.mode"], form["hub.topic"]) == ("subscribe", room.topic)
            answer = await room.hub.verify(room.ours)
            assert (answer.status_code, answer.text) == (200, CHALLENGE)
            assert answer.headers["content-type"].startswith("text/plain")
            room.published.append("http://n.example/2026/two.html")
            room.now += 3600
            await room.poll()
            assert len(room.urls()) == 1  # not due yet
            assert await room.hub.push(room.ours, b"<feed/>") == 202
            await room.poll()
            assert len(room.urls()) == 2
            with room.services.database.begin() as connection:
                connection.execute(update(feeds).values(active=False))
            await room.ask_hub()
            assert room.hub.forms[-1]["hub.mode"] == "unsubscribe"
            assert (await room.hub.verify(room.ours)).text == CHALLENGE
            assert await room.hub.push(room.ours, b"<feed/>") == 404

    asyncio.run(run())


def test_forged_calls_are_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with newsroom(tmp_path) as room:
            await room.poll()
            await room.ask_hub()
            assert (await room.hub.verify(room.ours, hub_topic="http://bank.example/")).status_code == 404
            assert (await room.hub.verify(room.ours, hub_mode="unsubscribe")).status_code == 404
            assert (await room.hub.verify(room.ours)).status_code == 200
            room.now += 3600
            assert await room.hub.push(room.ours, b"<feed/>", secret="guessed") == 403
            plain = {"Content-Type": "text/plain"}
            callback = room.hub.forms[0]["hub.callback"]
            assert (await room.ours.post(callback, content=b"x", headers=plain)).status_code == 403
            assert (await room.ours.post("/websub/" + "0" * 48, content=b"x", headers=plain)).status_code == 404
            assert (await room.ours.get("/websub/etc")).status_code in (400, 404)
            large = b"x" * (room.services.settings.web.max_body_bytes + 1)
            assert await room.hub.push(room.ours, large) == 413
            with room.services.database.read() as connection:
                reason = connection.execute(select(feeds.c.next_fetch_reason)).scalar_one()
            assert "hub" not in reason

    asyncio.run(run())


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_there_without_the_setting(tmp_path: Path, method: str) -> None:
    async def run() -> None:
        async with newsroom(tmp_path) as room:
            await room.poll()
            await room.ask_hub()
            room.services.settings.feeds.callback_url = ""
            if method == "GET":
                assert (await room.hub.verify(room.ours)).status_code == 404
            else:
                assert await room.hub.push(room.ours, b"<feed/>") == 404

    asyncio.run(run())

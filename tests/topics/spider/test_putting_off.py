"""A slow site delays itself only: the topic goes on without its pages, says what it waits for, and tries again in the next run."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import update

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics import model, store, tables
from tearsheet.topics.model import NewTopic, Progress, Seed
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.spider.putting_off import is_put_off
from tearsheet.topics.spider.routing import FACEBOOK_FETCH_STORY_STATS, TOPIC_ADD_STORY
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.work import Paused, Requeue, Retry
from tests.support.loopback_web import response, serve
from tests.support.topic_runs import SETTINGS, run

PATIENT = replace(SETTINGS, facebook_token="", retry_seconds=3_600.0, wait_seconds=5.0)
PAGES = 15
TROUBLED = {3: "429 Too Many Requests", 4: "503 Busy", 5: ""}
"""Pages of which others are found only through themselves; the last closes the connection."""


@pytest.mark.parametrize(
    ("job", "outcome", "delay", "put_off"),
    [
        (model.FETCH_LINK, Retry("http-429", after=3_600.0), 3_600.0, True),
        (model.MINE_STORY, Retry("noconn"), 30.0, True),
        (model.FETCH_LINK, Retry("noconn"), 5.0, False),
        (model.FETCH_LINK, Paused("busy", 3_600.0), 3_600.0, True),
        (model.FETCH_LINK, Requeue("busy", 3_600.0), 3_600.0, False),
        (TOPIC_ADD_STORY, Retry("error"), 30.0, False),
        (FACEBOOK_FETCH_STORY_STATS, Retry("http-5xx"), 30.0, False),
    ],
)
def test_what_must_wait_for_another_try_is_put_off(job, outcome, delay, put_off):
    assert is_put_off(job, outcome, delay, wait_seconds=5.0) == put_off


@pytest.mark.parametrize(
    ("count", "next_try", "said"),
    [
        (3, 50_700.0, "3 addresses wait for another try, the first at 14:05 UTC"),
        (1, 50_700.0 + 86_400, "1 address waits for another try, the first at 1970-01-02 14:05 UTC"),
        (0, None, ""),
    ],
)
def test_what_is_put_off_is_told(count, next_try, said):
    assert Progress(put_off=count, next_try=next_try).describe_put_off(now=100.0) == said


class Troubled:
    """Pages that each link to two others, some of which cannot be had at first."""

    def __init__(self) -> None:
        self.well = False

    async def answer(self, request, writer) -> None:
        number = int(request.path.strip("/") or 0) if request.path.strip("/").isdigit() else None
        if number is None:
            writer.write(response(b"none", "404 Not Found"))
        elif number in TROUBLED and not self.well:
            if TROUBLED[number]:
                writer.write(response(b"later", TROUBLED[number], ("Content-Type: text/html", "Retry-After: 3600")))
            else:
                writer.transport.abort()
        else:
            writer.write(response(_page(number)))


def _page(number: int) -> bytes:
    links = "".join(
        f'<p>The flood was also seen elsewhere, as <a href="{_url(other)}">paper {other} wrote</a> that day.</p>'
        for other in _links(number)
    )
    words = " ".join(f"w{number}x{i}" for i in range(30))
    return f"<html><title>Flood number {number}</title><article><p>A flood came, {words}.</p>{links}</article>".encode()


def _links(number: int) -> list[int]:
    return [other for other in (2 * number + 1, 2 * number + 2) if other < PAGES]


def _url(number: int) -> str:
    return f"http://site{number % 10}.example/{number}"


def test_a_topic_ends_without_what_it_cannot_have_now_and_the_next_run_has_it(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    index = open_index("index", tmp_path)
    topic = store.create_topic(database, NewTopic("Floods", "flood"), 0.0)
    add_seeds(database, topic.id, [Seed(_url(0))])
    web = Troubled()

    async def go():
        broker = SqliteBroker(tmp_path / "queues.db")
        async with serve(web.answer) as server:
            try:
                return await run(
                    database, index, broker, server.port, store.find_topic(database, topic.id), settings=PATIENT
                )
            finally:
                await broker.close()

    def found() -> tuple[set[str], set[tuple[str, str]]]:
        frozen = load_snapshot(database, topic)
        urls = [story.url for story in frozen.stories]
        return set(urls), {(urls[a], urls[b]) for a, b in frozen.links}

    behind = {*TROUBLED, *(other for number in TROUBLED for other in _links(number))}
    had = set(range(PAGES)) - behind
    done = asyncio.run(go())
    assert done.state == model.COMPLETED, done.message
    assert "3 addresses wait for another try, the first at " in done.message
    assert found() == ({_url(n) for n in had}, {(_url(n), _url(m)) for n in had for m in _links(n) if m in had})
    assert sorted(url for url, _ in store.list_put_off(database, topic)) == [_url(number) for number in TROUBLED]

    web.well = True
    done = asyncio.run(go())
    assert "3 addresses wait for another try" in done.message  # they were told to come back in an hour
    with database.begin() as connection:
        connection.execute(update(tables.topic_jobs).values(held_until=0.0))
    done = asyncio.run(go())
    assert done.state == model.COMPLETED
    assert "another try" not in done.message
    assert found() == (
        {_url(n) for n in range(PAGES)},
        {(_url(n), _url(m)) for n in range(PAGES) for m in _links(n)},
    )
    index.close()
    database.close()

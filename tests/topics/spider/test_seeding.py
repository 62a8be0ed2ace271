"""Where topics start: collections, posts, and sources that are one."""

import asyncio
import csv
import json
from dataclasses import replace
from datetime import date

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database.sql import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.engines.index.port import IndexedStory
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic
from tearsheet.topics.snapshot.export_files import write_export
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.spider.posts import make_post
from tearsheet.topics.spider.stores.seeds import add_posts
from tearsheet.urls import url_hash
from tests.support.loopback_web import response, serve
from tests.support.topic_running import SETTINGS, run


@pytest.fixture
def command(tmp_path):
    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), *map(str, words)])
        assert done.exit_code == code, done.output
        return done.output

    return go


def test_collections_give_the_sources_of_seeds(command, tmp_path):
    for domain in ("a.example", "b.example", "c.example"):
        command("sources", "add", f"http://{domain}/")
    command("collections", "add", "Locals", "a.example", "b.example")
    command("topic", "create", "Flood", "flood", "--collection", "Nobody", code=5)
    command("topic", "create", "Flood", "flood", "--collection", "Locals", "--source", "d.example")
    index = open_index("tantivy:///index", tmp_path / "data")
    urls = [f"http://{name}.example/1" for name in "abcd"] + ["http://e.example/1"]
    index.add(
        [
            IndexedStory(url_hash(url), str(i), url, url[7:16], i, "Flood", "A flood.", source_id=None)
            for i, url in enumerate(urls)
        ]
    )
    index.close()
    assert "3 seeds added" in command("topic", "seed", "Flood", "--index")
    command("collections", "add", "Locals", "c.example")
    assert "1 seeds added, 3 were known" in command("topic", "seed", "Flood", "--index")


def test_duplicate_sources_are_said_and_listed(command):
    command("topic", "duplicate", "www.paper.example", "https://daily.example/")
    command("topic", "duplicate", "daily.example", "group.example")
    assert "circle" in command("topic", "duplicate", "group.example", "paper.example", code=2)
    command("topic", "duplicate", "daily.example", code=2)
    listed = json.loads(command("topic", "duplicates", "--json"))
    assert listed == [
        {"media": "daily.example", "dup_media": "group.example"},
        {"media": "paper.example", "dup_media": "daily.example"},
    ]
    command("topic", "duplicate", "daily.example", "--remove")
    assert len(json.loads(command("topic", "duplicates", "--json"))) == 1


def test_posts_are_seeds_by_the_command(command, tmp_path):
    command("topic", "create", "Flood", "flood", "--from", "2024-05-01")
    posts = tmp_path / "posts.csv"
    posts.write_text(
        "content,author,publish_date\n"
        "a flood http://a.example/1 and http://a.example/2,ann,2024-05-31\n"
        "a flood http://a.example/1,bob,2024-04-30\n"
        "no water http://a.example/3,bob,2024-05-31\n",
        "utf-8",
    )
    said = command("topic", "seed", "Flood", "--posts", posts)
    assert "1 of 3 posts are about the topic, 1 of them new; 2 seeds added from them" in " ".join(said.split())
    again = command("topic", "seed", "Flood", "--posts", posts)
    assert "0 of them new; 0 seeds added" in " ".join(again.split())


PAGE = """<html><head><title>{0}</title><meta property="article:published_time" content="2024-05-20T10:00:00Z"></head>
<body><article><h1>{0}</h1><p>The flood number {0} came over the river in the night, and nobody had been told of it.</p>
<p>Whoever lived near it left the town before the morning, as the fire brigade said to this paper.</p></article></body></html>"""


def test_a_snapshot_counts_the_posts_of_each_story(tmp_path):
    database = open_database("sqlite:///t.db", tmp_path)
    database.migrate()
    index = open_index("tantivy:///index", tmp_path)
    topic = store.create_topic(database, NewTopic("Flood", "flood", date(2024, 5, 1), date(2024, 5, 31)), 0.0)
    said = [
        ("ann", "2024-05-20", "one"),
        ("ann", "2024-05-21", "one"),
        ("bob", "2024-05-28", "one"),
        ("bob", "2024-05-28", "two"),
    ]
    posts = [
        make_post({"content": f"A flood at http://www.{name}.example/{name}?utm_source={i}", "author": author, "publish_date": day,
                   "channel": "forum"})
        for i, (author, day, name) in enumerate(said)
    ]  # fmt: skip
    assert add_posts(database, topic.id, posts) == (4, 2)

    async def answer(request, writer):
        writer.write(response(PAGE.format(request.path.strip("/")).encode()))

    async def go():
        broker = SqliteBroker(tmp_path / "queues.db")
        async with serve(answer) as server:
            try:
                return await run(database, index, broker, server.port, topic, replace(SETTINGS, facebook_token=""))
            finally:
                await broker.close()

    done = asyncio.run(go())
    index.close()
    assert done.state == "completed", done.message
    write_export(load_snapshot(database, done), tmp_path / "out", ["csv"])
    database.close()

    def counts(timespan: str, table: str) -> dict[str, tuple[int, ...]]:
        with (tmp_path / "out" / timespan / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
            return {
                row["media"]: tuple(int(row[name]) for name in ("post_count", "author_count", "channel_count"))
                for row in csv.DictReader(lines)
            }

    for table in ("stories", "media"):
        assert counts("overall", table) == {"one.example": (3, 2, 1), "two.example": (1, 1, 1)}
        assert counts("weekly-2024-05-20-2024-05-26", table) == {"one.example": (2, 1, 1), "two.example": (0, 0, 0)}

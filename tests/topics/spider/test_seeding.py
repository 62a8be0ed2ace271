"""Where topics start: collections, posts, and sources that are one."""

import asyncio
import csv
from dataclasses import replace
from datetime import date

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic
from tearsheet.topics.snapshot.export_files import write_export
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.spider.posts import make_post
from tearsheet.topics.spider.stores.seeds import add_posts
from tests.support.loopback_web import response, serve
from tests.support.topic_runs import SETTINGS, run

PAGE = """<html><head><title>{0}</title><meta property="article:published_time" content="2024-05-20T10:00:00Z"></head>
<body><article><h1>{0}</h1><p>The flood number {0} came over the river in the night, and nobody had been told of it.</p>
<p>Whoever lived near it left the town before the morning, as the fire brigade said to this paper.</p></article></body></html>"""


def test_a_snapshot_counts_the_posts_of_each_story(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    index = open_index("index", tmp_path)
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

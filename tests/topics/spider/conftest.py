"""A topic with three seeds in a database of its own, and the tools of a spider that may fetch nothing."""

from typing import Any, cast

import pytest

from tearsheet.engines.database import open_database
from tearsheet.fetch import PoliteClient
from tearsheet.settings import TopicSettings
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic, Seed
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.work import ThreadReader
from tests.support.topic_runs import fetch_settings


class NoIndex:
    def get(self, ids):
        return [None] * len(ids)


class SetClock:
    """A clock that the test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class NeverFetches:
    async def process(self, story):
        raise AssertionError("nothing may be fetched")


@pytest.fixture
def clock():
    return SetClock()


@pytest.fixture
def tools(tmp_path, clock):
    database = open_database("t.db", tmp_path)
    database.migrate()
    settings = TopicSettings(stuck_seconds=200.0, facebook_token="t")
    yield Tools(
        database,
        cast(Any, NoIndex()),
        NeverFetches(),
        PoliteClient(fetch_settings(1)),
        ThreadReader(),
        settings,
        lambda _: None,
        clock,
    )
    database.close()


@pytest.fixture
def topic(tools):
    made = store.create_topic(tools.database, NewTopic("T", "flood"), 10.0)
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1"]
    assert add_seeds(tools.database, made.id, [Seed(url) for url in urls]) == (3, [])
    return made

"""Workers that note the same things at the same moment do not wait for one another for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tearsheet.engines.database import open_database
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.stores.links import save_links
from tearsheet.topics.spider.topic_mine_story import route_links
from tests.support.databases import PostgresHarness

pytestmark = [pytest.mark.engine("postgresql"), pytest.mark.timeout(120)]


def test_stories_with_the_same_links_in_another_order(tmp_path, request):
    harness = PostgresHarness()
    harness.prepare(tmp_path)
    request.addfinalizer(harness.remove)
    database = open_database(harness.url, tmp_path, patience=10)
    database.migrate()
    topic = store.create_topic(database, NewTopic("T", "flood"), 0.0)
    with ThreadPoolExecutor(2) as pool:
        for turn in range(12):
            links = [MinedLink(f"http://a.example/{turn}/{i}", f"{turn:032}{i:032}", "anchor") for i in range(150)]
            known = {link.key: link.key for link in links[::2]}
            orders = [route_links(order, known, ()) for order in (links, links[::-1])]
            for done in [
                pool.submit(save_links, database, topic.id, f"{number:064}", 0, order)
                for number, order in enumerate(orders)
            ]:
                done.result(60)
    assert store.progress_of(database, topic).to_fetch == 12 * 75
    database.close()

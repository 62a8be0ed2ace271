"""What the tables of a topic hold."""

import asyncio

from tearsheet.topics import store
from tearsheet.topics.model import Seed
from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.generate import WebStory
from tearsheet.topics.spider.run import TopicRun, start_run
from tearsheet.topics.spider.spider import FetchLink
from tests.support.topic_jobs import step


def test_the_simplest_address_stands_for_a_page_whichever_came_first(tools, topic):
    page = b"<html><title>Flood</title><article><p>A flood came over the town.</p></article></html>"

    class Redirected:
        async def process(self, story):
            story.raw_html.html = page
            story.http_metadata.final_url = "http://a.example/story"
            return story

    key = url_key("http://a.example/story")
    known = WebStory(
        key, "http://www.a.example/story", "a.example", "Flood", "page", None, "undateable", text="A flood."
    )
    spider_store.save_story(tools.database, known, None, None, [])
    store.add_seeds(tools.database, topic.id, [Seed("http://short.example/1")])
    _, [job] = start_run(tools, topic)
    step(TopicRun(tools), job)
    tools.fetcher = Redirected()
    values = {"topic": topic.id, "key": url_key("http://short.example/1")}
    assert asyncio.run(FetchLink(tools).handle(values, redelivered=False)) == ()
    kept = spider_store.get_story(tools.database, key)
    assert kept is not None
    assert kept.url == "http://a.example/story"

"""What is forgotten of the addresses that a topic has asked for."""

from __future__ import annotations

from tearsheet.topics import model
from tearsheet.topics.spider.stores import fetches, seeds, web_stories
from tests.support.topic_rows import web_story

VIDEO = "https://www.youtube.com/watch?v=1"


def test_addresses_on_platforms_are_forgotten_however_the_way_led_there(tools, topic):
    story, video = web_story(1, "News"), web_story(2, "Video", "youtube.com")
    for one in (story, video):
        web_stories.save_story(tools.database, one, None, None, [])
    with tools.database.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE web_stories SET url = 'https://x.com/a/status/1' WHERE media_id = 'youtube.com'"
        )
    known = {
        "left out": (VIDEO, model.IGNORED, None),
        "seen": ("https://youtu.be/2", model.STORY_MATCH, video.id),
        "led there": ("http://a.example/short", model.STORY_MATCH, video.id),
        "news": ("http://a.example/1", model.STORY_MATCH, story.id),
        "down": ("http://a.example/2", model.REQUEST_FAILED, None),
    }
    seeds.route_seeds(tools.database, topic.id, [], [(key, url, False) for key, (url, *_) in known.items()], [])
    for key, (_, state, stories_id) in known.items():
        fetches.finish_fetch(tools.database, topic.id, key, state, stories_id=stories_id)
    with tools.database.begin() as connection:
        assert fetches.forget_platforms(connection, topic.id) == 3
    left = {key for key in known if fetches.get_fetch(tools.database, topic.id, key)}
    assert left == {"news", "down"}

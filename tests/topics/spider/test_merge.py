"""Merging stories that are one, of sources that may be one in this topic."""

from tearsheet.topics.spider.correcting import merge_sources
from tearsheet.topics.spider.merge import merge_topic
from tearsheet.topics.spider.stores import web_stories
from tests.support.topic_rows import add_members, web_story


def test_merges_keep_an_audit_and_can_be_done_again(tools, topic):
    stories = [
        web_story(1, "Washington Post: Nunes Releases FISA Memo"),
        web_story(2, "Nunes Releases FISA Memo", text="A longer text."),
        web_story(3, "Nunes Releases FISA Memo", media="dup.example"),
    ]
    merge_sources(tools.database, topic, "a.example", "c.example", "one paper")
    merge_sources(tools.database, topic, "dup.example", "a.example", "its Sunday edition")
    add_members(tools.database, topic, *stories)
    merges = merge_topic(tools.database, topic.id)
    assert (merges.moved, merges.merged) == (1, 2)
    again = merge_topic(tools.database, topic.id)
    assert (again.moved, again.merged) == (1, 0)
    with tools.database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT source_stories_id, target_stories_id, reason FROM topic_merged_stories_map ORDER BY 1"
        ).all()
    assert [(int(a), int(b)) for a, b, _ in rows] == [(1, 2), (3, 2)]
    assert rows[0][2] == "same title: Washington Post: Nunes Releases FISA Memo"
    assert {web_stories.get_story(tools.database, story.id) for story in stories} == set(stories), (
        "other topics see the stories as they are"
    )

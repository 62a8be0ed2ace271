"""The links of a story, and what follows for each."""

import asyncio

from tearsheet.topics import model, store
from tearsheet.topics.snapshot.store import freeze
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import candidates, fetches, web_stories
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.topic_mine_story import MineStory, route_links
from tests.support.topic_rows import add_members, web_story

PROSE = "The committee met on Tuesday and heard three hours of testimony about the dams, the levees and the money. "


def test_each_link_is_routed():
    links = [MinedLink(f"http://a.example/{key}", key, "anchor") for key in ("new", "known", "member")]
    routed = route_links(links, {"known": "k", "member": "m"}, {"m"})
    assert [(one.link.key, one.route, one.stories_id) for one in routed] == [
        ("new", Route.FETCH_LINK, None),
        ("known", Route.ADD_STORY, "k"),
        ("member", Route.END, "m"),
    ]


def test_what_links_lead_to_stands_in_the_tables(tools, topic):
    story, member, known = web_story(1, "One"), web_story(2, "Two"), web_story(3, "Three", media="b.example")
    add_members(tools.database, topic, story, member, spidered=False)
    for other in (member, known):
        web_stories.save_story(tools.database, other, None, None, [(url_key(other.url), other.url)])
    anchors = " ".join(f'As <a href="{url}">x</a> said.' for url in (member.url, known.url, "http://new.example/x"))
    html = f"<article><p>{PROSE}{anchors}</p><p>{PROSE}</p></article>"
    tools.archived = lambda _: (html.encode(), None)
    asyncio.run(MineStory(tools).handle(topic, Taken(topic.id, "topic_mine_story", story.id)))
    states = {
        one.id: (candidate.state, candidate.iteration, candidate.spidered)
        for one in (story, member, known)
        if (candidate := candidates.get_candidate(tools.database, topic.id, one.id))
    }
    assert states == {
        story.id: (model.IN, 0, True),
        member.id: (model.IN, 0, False),
        known.id: (model.WAITING, 1, False),
    }
    with tools.database.read() as connection:
        [pending] = connection.execute(fetches.pending_addresses(topic.id)).scalars()
    row = fetches.get_fetch(tools.database, topic.id, pending)
    assert row is not None
    assert (row.url, row.iteration) == ("http://new.example/x", 1)
    progress = store.progress_of(tools.database, topic)
    assert (progress.links, progress.links_unfetched) == (3, 1)
    assert store.count_links_between_stories(tools.database, topic) == 1, "maps show those between stories of the topic"
    [(_, _, sentence)] = frozen_links(tools.database, topic)
    assert sentence == "As x said."


def frozen_links(database, topic):
    frozen = freeze(database, topic)
    return [(a, b, sentence) for (a, b), sentence in zip(frozen.links, frozen.sentences, strict=True)]

"""When a run begins its topic anew: after corrections, and when what arrived late changes what was found before it."""

import asyncio

from sqlalchemy import select

from tearsheet.topics import model, store, tables
from tearsheet.topics.decisions import EXCLUDE
from tearsheet.topics.model import Seed
from tearsheet.topics.spider.correcting import decide_pages
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.stores import fetches, jobs, seeds
from tearsheet.topics.spider.topic_add_story import AddStory
from tearsheet.topics.spider.topic_run import TopicRun, start_run
from tests.support.topic_rows import add_members, web_story

STORY = web_story(1, "Flood")


def look(tools, job: Job) -> list[Job]:
    return list(asyncio.run(TopicRun(tools).handle(job.values, redelivered=False)))


def states(tools) -> list[str]:
    with tools.database.read() as connection:
        return list(connection.execute(select(tables.topic_stories.c.state)).scalars())


def settle(tools, topic) -> None:
    """Have all seeds fetched in vain, and one story in the topic."""
    new = seeds.unprocessed_seeds(tools.database, topic.id, 9)
    to_fetch = [(seed.url_key, seed.url, False) for seed in new]
    seeds.route_seeds(tools.database, topic.id, [], to_fetch, [seed.url_key for seed in new])
    for seed in new:
        fetches.finish_fetch(tools.database, topic.id, seed.url_key, model.REQUEST_FAILED)
    add_members(tools.database, topic, STORY)


def corrected(tools) -> bool:
    return store.find_topic(tools.database, "T").corrected


def test_a_corrected_topic_waits_for_those_at_work_on_the_earlier_one(tools, topic, clock):
    settle(tools, topic)
    seeds.add_seeds(tools.database, topic.id, [Seed("http://new.example/1")])
    assert corrected(tools)
    jobs.offer(tools.database, topic.id, "topic_mine_story", held, run="r", now=clock.now, limit=1)
    taken = jobs.take(
        tools.database, topic.id, "topic_mine_story", STORY.id, run="r", holder="me", until=clock.now + 20
    )
    assert taken is not None
    [job] = look(tools, start_run(tools, store.find_topic(tools.database, "T")))
    assert corrected(tools), "a worker may still write what became of it"
    assert states(tools) == [model.IN]
    clock.now += 30
    [job] = look(tools, job)
    assert not corrected(tools)
    assert states(tools) == [model.KNOWN]
    *due, _ = look(tools, job)
    assert [one.name for one in due] == ["topic_fetch_link"], "only the new address is asked for"


def held(topic_id: int):
    return select(tables.topic_stories.c.stories_id.label("item")).where(tables.topic_stories.c.topics_id == topic_id)


def test_what_arrived_late_has_everything_worked_out_anew_once(tools, topic):
    settle(tools, topic)
    job = start_run(tools, topic)
    late = {**job.values, "found_late": [0, 0, 0]}
    [job] = look(tools, Job(job.name, late))
    assert states(tools) == [model.KNOWN]
    assert "found_late" not in job.values


def test_what_was_tried_again_in_vain_changes_nothing(tools, topic):
    settle(tools, topic)
    job = start_run(tools, topic)
    look(tools, Job(job.name, {**job.values, "found_late": [1, 0, 0]}))
    assert states(tools) == [model.IN]
    assert store.find_topic(tools.database, "T").state == model.DEDUPED


def test_a_seed_that_is_added_while_a_run_is_at_work_is_part_of_it(tools, topic):
    settle(tools, topic)
    job = start_run(tools, topic)
    seeds.add_seeds(tools.database, topic.id, [Seed("http://new.example/1")])
    [job] = look(tools, job)
    assert states(tools) == [model.KNOWN]
    assert not corrected(tools)


def test_the_reason_of_a_person_is_the_reason_of_a_story(tools, topic):
    settle(tools, topic)
    decide_pages(tools.database, topic, EXCLUDE, [STORY.url], "an advertisement")
    with tools.database.begin() as connection:
        key = connection.execute(select(tables.topic_decisions.c.key)).scalar_one()
        connection.execute(tables.story_urls.insert().values(url_key=key, url=STORY.url, stories_id=STORY.id))
        connection.execute(tables.topic_stories.update().values(state=model.ADDING))
    taken = jobs.Taken(topic.id, "topic_add_story", STORY.id)
    asyncio.run(AddStory(tools).handle(store.find_topic(tools.database, "T"), taken))
    with tools.database.read() as connection:
        assert connection.execute(select(tables.topic_stories.c.why)).scalar() == "left out by hand: an advertisement"
    assert states(tools) == [model.OUT]

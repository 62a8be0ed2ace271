"""Seeds that are named again, that come from the index, and that posts named."""

from datetime import date

from sqlalchemy import select

from tearsheet.topics import model, store, tables
from tearsheet.topics.model import INDEX, NewTopic, Seed
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.posts import make_post
from tearsheet.topics.spider.stores import fetches, seeds
from tearsheet.topics.spider.stores.seeds import add_posts, add_seeds, forget_posts, replace_index_seeds

FIRST = "http://a.example/1"


def route(tools, topic, state: str) -> None:
    """Have the seeds of the topic fetched, all with one result."""
    new = seeds.unprocessed_seeds(tools.database, topic.id, 100)
    to_fetch = [(seed.url_key, seed.url, False) for seed in new]
    seeds.route_seeds(tools.database, topic.id, [], to_fetch, [seed.url_key for seed in new])
    for seed in new:
        fetches.finish_fetch(tools.database, topic.id, seed.url_key, state)


def corrected(tools, topic) -> bool:
    return store.find_topic(tools.database, topic.id).corrected


def placed(tools, topic) -> list[tuple[str, str]]:
    seeds = tables.topic_seed_urls.c
    with tools.database.read() as connection:
        query = select(seeds.url, seeds.source).where(seeds.topics_id == topic.id).order_by(seeds.place)
        return [(url, source) for url, source in connection.execute(query)]


def test_a_seed_that_could_not_be_had_is_asked_for_again_when_it_is_named_again(tools, topic):
    route(tools, topic, model.REQUEST_FAILED)
    assert add_seeds(tools.database, topic.id, [Seed(FIRST, None, INDEX)]) == (0, [])
    assert not corrected(tools, topic), "the index names its stories each time"
    assert add_seeds(tools.database, topic.id, [Seed(FIRST)]) == (1, [])
    assert fetches.get_fetch(tools.database, topic.id, url_key(FIRST)) is None
    assert corrected(tools, topic)


def test_a_seed_that_was_rejected_is_taken_up_when_it_is_said_to_match(tools, topic):
    route(tools, topic, model.NO_MATCH)
    assert add_seeds(tools.database, topic.id, [Seed(FIRST)]) == (0, [])
    assert not corrected(tools, topic), "its page would be rejected again"
    assert add_seeds(tools.database, topic.id, [Seed(FIRST, assume_match=True)]) == (1, [])
    assert fetches.get_fetch(tools.database, topic.id, url_key(FIRST)) is None
    assert corrected(tools, topic)
    assert add_seeds(tools.database, topic.id, [Seed(FIRST, assume_match=True)]) == (0, [])


def test_new_seeds_of_a_topic_that_was_not_run_change_nothing_else(tools, topic):
    assert add_seeds(tools.database, topic.id, [Seed("http://new.example/1")]) == (1, [])
    assert not corrected(tools, topic)
    route(tools, topic, model.NO_MATCH)
    assert add_seeds(tools.database, topic.id, [Seed("http://new.example/2")]) == (1, [])
    assert corrected(tools, topic)


def test_other_stories_of_the_index_take_the_places_of_those_before(tools):
    topic = store.create_topic(tools.database, NewTopic("U", "flood"), 0.0)
    one, two, three, four = (f"http://a.example/{number}" for number in range(4))
    add_seeds(tools.database, topic.id, [Seed(one), Seed(two, "2", INDEX), Seed(three, "3", INDEX)])
    add_seeds(tools.database, topic.id, [Seed(four), Seed(three)])
    with tools.database.begin() as connection:
        new = [Seed("http://z.example/", "z", INDEX), Seed(one, "1", INDEX), Seed("http://b.example/", "b", INDEX)]
        replace_index_seeds(tools.database, connection, topic.id, new)
    assert placed(tools, topic) == [
        (one, "url"),
        ("http://z.example/", INDEX),
        ("http://b.example/", INDEX),
        (three, "url"),  # a person named it as well
        (four, "url"),
    ]


def test_posts_that_no_longer_count_take_their_seeds_with_them(tools):
    topic = store.create_topic(tools.database, NewTopic("U", "flood"), 0.0)
    said = [("a flood http://a.example/1 http://a.example/2", "ann"), ("a storm http://a.example/2", "bob")]
    posts = [make_post({"content": text, "author": who, "publish_date": "2024-05-31"}) for text, who in said]
    add_posts(tools.database, topic.id, posts)
    add_seeds(tools.database, topic.id, [Seed("http://c.example/")])
    with tools.database.begin() as connection:
        assert forget_posts(connection, topic.id, lambda text, day: "storm" in text and day == date(2024, 5, 31)) == 1
        assert forget_posts(connection, topic.id, lambda text, day: True) == 0
    assert placed(tools, topic) == [("http://a.example/2", "post"), ("http://c.example/", "url")]

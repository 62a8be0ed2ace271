import pytest

from tearsheet.engines.database import open_database
from tearsheet.topics.erasing import erase_from_topics
from tearsheet.topics.model import NewTopic
from tearsheet.topics.rehearsal.judgements import judgements_of, keep_judgements
from tearsheet.topics.store import create_topic, delete_topic
from tearsheet.topics.tables import topic_judgements


@pytest.fixture
def database(tmp_path):
    made = open_database("t.db", tmp_path)
    made.migrate()
    yield made
    made.close()


def test_the_last_judgement_counts_and_the_others_stay(database):
    topic, other = (create_topic(database, NewTopic(name, "flood"), 0.0) for name in ("A", "B"))
    keep_judgements(database, topic.id, {"one": True, "two": False, "three": None})
    keep_judgements(database, topic.id, {"two": True})
    keep_judgements(database, other.id, {"one": False})
    keep_judgements(database, other.id, {})
    assert judgements_of(database, topic.id) == {"one": True, "two": True, "three": None}
    with database.read() as connection:
        rows = connection.execute(topic_judgements.select().where(topic_judgements.c.stories_id == "two")).all()
    assert [row.belongs for row in rows] == [False, True]
    assert rows[0].judged_at <= rows[1].judged_at


def test_judgements_go_with_the_story_or_the_topic(database):
    topic = create_topic(database, NewTopic("A", "flood"), 0.0)
    keep_judgements(database, topic.id, {"one": True, "two": False})
    erase_from_topics(database, {"one"})
    assert judgements_of(database, topic.id) == {"two": False}
    delete_topic(database, topic)
    assert judgements_of(database, topic.id) == {}

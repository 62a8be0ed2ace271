"""What only the search servers do: indices behind an alias, points in time, and refusals for want of room."""

from __future__ import annotations

import threading
import time

import pytest

from tearsheet.engines.index.life_cycle import LifeCycle
from tearsheet.engines.index.search_server import _make_token, _read_position, open_search_server
from tearsheet.errors import BusyError, ConfigError
from tearsheet.mediacloud_ids import mediacloud_id
from tearsheet.query import QueryError, parse_query
from tests.support.index_stories import START, story
from tests.support.indexes import SERVERS

EVERYTHING = parse_query("*")


@pytest.fixture(params=SERVERS)
def harness(request, tmp_path):
    harness = request.param()
    harness.prepare(tmp_path)
    yield harness
    harness.clean()


@pytest.fixture
def index(harness):
    index = harness.open()
    yield index
    index.close()


def test_the_first_copy_wins_across_indices(index):
    index.add([story("a"), story("b")])
    index.writer.roll_over()
    index.add([story("c")])
    index.writer.roll_over()
    again = [story("a", story_id="x"), story("c", story_id="y"), story("b"), story("d")]
    assert [(r.status, r.first_story_id) for r in index.add(again)] == [
        ("duplicate", "story-a"), ("duplicate", "story-c"), ("own", "story-b"), ("created", "story-d"),
    ]  # fmt: skip
    index.refresh()
    assert index.count(EVERYTHING) == 4
    assert [one.url[-1] for one in index.get([story(name).id for name in "abcd"]) if one] == list("abcd")
    assert sorted(index.writer.indices()) == [f"{index.alias}-{n:06}" for n in (1, 2, 3)]


def test_an_index_that_is_full_is_followed_by_another(harness):
    index = harness.open(LifeCycle(rollover_stories=3))
    for n in range(10):
        index.add([story(str(n))])
    index.refresh()
    assert index.count(EVERYTHING) == 10
    assert len(index.writer.indices()) == 4
    index.close()


def test_old_indices_are_removed_when_their_time_is_over(harness):
    """The clock of the writer is ahead of the server's."""
    ahead = 0.0
    index = harness.open(LifeCycle(rollover_days=1, keep_days=7))
    index.writer._clock = lambda: time.time() + ahead
    index.add([story("a")])
    index.writer.tend()
    assert len(index.writer.parts()) == 1, "too young to be followed"
    ahead = 2 * 86_400
    index.add([story("b")])
    first, second = index.writer.parts()
    assert (first.name, first.stories, second.stories) == (f"{index.alias}-000001", 2, 0)
    assert first.size > 0 and abs(first.created - time.time()) < 600
    index.writer.tend()
    assert len(index.writer.parts()) == 2, "one without stories is not followed"
    told = index.describe()
    assert told.startswith("2 stories, indices: 2; the oldest is kept until ")
    assert [r.status for r in index.add([story("a"), story("c")])] == ["own", "created"]
    ahead, index.writer.life = 8 * 86_400, LifeCycle(keep_days=7)
    index.writer.tend()
    assert [part.name[-1] for part in index.writer.parts()] == ["2"]
    index.refresh()
    assert index.count(EVERYTHING) == 1
    assert [one and one.url[-1] for one in index.get([story(name).id for name in "abc"])] == [None, None, "c"]
    assert [r.status for r in index.add([story("c", story_id="x")])] == ["duplicate"]
    index.close()


def test_a_writer_that_knows_of_a_removed_index_goes_on(harness):
    index, other = harness.open(), harness.open()
    index.add([story("a")])
    index.writer.roll_over()
    known = other.writer._indices_by_age()
    other.writer._indices_by_age = lambda: known
    index._ask("DELETE", f"/{known[1][0]}")
    assert [r.status for r in other.add([story("b")])] == ["created"]
    for one in (index, other):
        one.close()


def test_one_that_comes_late_to_a_rollover_changes_nothing(harness):
    index, other = harness.open(), harness.open()
    index.add([story("a")])
    seen = index.writer._indices_by_age()
    for _ in range(2):
        other.writer.roll_over()
    views = iter([seen])
    real = index.writer._indices_by_age
    index.writer._indices_by_age = lambda: next(views, None) or real()
    index.writer.roll_over()
    assert index.writer.indices()[f"{index.alias}-000003"]
    assert [r.status for r in index.add([story("a"), story("b")])] == ["own", "created"]
    for one in (index, other):
        one.close()


def test_two_writers_and_a_rollover_between_them_make_no_duplicate(harness):
    """Each writer adds the same stories; the index is followed by another all the time."""
    stories = [story(str(n)) for n in range(60)]
    results: dict[str, list[str]] = {"left": [], "right": []}

    def write(name):
        index = harness.open()
        for one in stories:
            (result,) = index.add([story(one.url.rsplit("/", 1)[1], story_id=name)])
            results[name].append(result.status)
        index.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in results]
    index = harness.open()
    for thread in threads:
        thread.start()
    for _ in range(5):
        index.writer.roll_over()
    for thread in threads:
        thread.join()
    index.refresh()
    assert index.count(EVERYTHING) == 60
    assert [sorted(pair) for pair in zip(*results.values(), strict=True)] == [["created", "duplicate"]] * 60
    index.close()


def test_pages_are_turned_in_a_point_in_time(index):
    index.add([story(str(n), indexed_date=START + n) for n in range(10)])
    index.refresh()
    first = index.search(EVERYTHING, limit=3)
    assert _read_position(first.next_token, 3)[1] is None
    second = index.search(EVERYTHING, limit=3, token=first.next_token)
    position, view = _read_position(second.next_token, 3)
    assert view
    # A story that comes in later, and would stand on the next page, is not seen in this view.
    index.add([story("late", indexed_date=START + 3)])
    index.refresh()
    third = index.search(EVERYTHING, limit=3, token=second.next_token)
    assert [one.url.rsplit("/", 1)[1] for one in third.stories] == ["3", "2", "1"]
    # When the view has ended, the position is still good.
    index._client.close_point_in_time(view)
    again = index.search(EVERYTHING, limit=10, token=_make_token([position, view]))
    assert {one.url.rsplit("/", 1)[1] for one in again.stories} >= {"3", "2", "1", "0"}


@pytest.mark.parametrize("text", ["(a OR " * 28 + "b" + " AND c)" * 28, '"word0 wor*"'])
def test_what_the_server_cannot_answer_is_refused_and_never_narrowed(index, text):
    index.add([story("a", text=" ".join(f"word{n}" for n in range(3000)))])
    index.refresh()
    query = parse_query(text)
    try:
        assert index.count(query) == query.matches(text="word0 word1")
    except QueryError as error:
        assert "cannot answer" in str(error) and "\n" not in str(error)


@pytest.mark.parametrize(
    "url", ["opensearch://", "opensearch://h/a?shards=x", "opensearch://h/a?size=3", "opensearch://h/a?rollover=3"]
)
def test_a_wrong_address_is_a_wrong_setting(url):
    with pytest.raises(ConfigError, match=r"engines\.index"):
        open_search_server(url)


def test_programs_made_for_media_clouds_index_find_the_same_in_ours(index):
    index.add([story("a", text="The old Bridge, rebuilt"), story("b", text="a school")])
    index.refresh()
    asked = {"query_string": {"query": "text_content:bridge AND canonical_domain:*"}}
    for query in (asked, {"term": {"mediacloud_id": mediacloud_id(story("a").url)}}):
        hits = index._ask("POST", f"/{index.alias}/_search", None, {"query": query})["hits"]["hits"]
        assert [hit["_source"]["url"] for hit in hits] == [story("a").url]


def deleted(index) -> int:
    found: int = index._ask("GET", f"/{index.alias}/_stats/docs")["_all"]["primaries"]["docs"]["deleted"]
    return found


def test_removed_stories_leave_every_index_also_those_closed_to_writing(index):
    index.add([story("a"), story("b")])
    index.writer.roll_over()
    index.add([story("c"), story("d")])
    assert index.remove([story("a").id, story("d").id]) == 2
    assert sorted(one.url[-1] for one in index.search(EVERYTHING).stories) == ["b", "c"]
    old, new = sorted(index.writer.indices())
    settings = index._ask("GET", f"/{index.alias}/_settings")
    assert settings[old]["settings"]["index"]["blocks"] == {"write": "true"}
    assert "blocks" not in settings[new]["settings"]["index"]
    again = [story("b", story_id="x"), story("d", story_id="y")]
    assert [one.status for one in index.add(again)] == ["duplicate", "created"]


def test_a_server_that_keeps_what_was_removed_is_not_believed(index):
    index.add([story("a"), story("b")])
    index.remove([story("a").id])
    index._patient.sleep = lambda seconds: None
    with pytest.raises(BusyError, match="still keeps"):
        index.scrub()


@pytest.mark.slow
def test_scrubbing_waits_until_the_server_has_dropped_what_was_removed(index):
    index.add([story("a"), story("b")])
    index.writer.roll_over()
    index.remove([story("a").id])
    assert deleted(index) > 0
    index.scrub()
    assert deleted(index) == 0
    assert index.count(EVERYTHING) == 1

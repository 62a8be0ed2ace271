"""What every story index must do. Runs unchanged against each adapter."""

from __future__ import annotations

import time

import pytest

from tearsheet.engines.index import search_server, tantivy_counts
from tearsheet.errors import TooSlow
from tearsheet.index import ORDERS
from tearsheet.query import QueryError, parse_query
from tests.support.index_stories import DAY, START, long_stories, near_phrases, story
from tests.support.indexes import INDEXES

EVERYTHING = parse_query("*")


@pytest.fixture(params=INDEXES)
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


def names(stories):
    return [found.url.rsplit("/", 1)[1] for found in stories]


def found(index, query, **more):
    return sorted(names(index.search(parse_query(query), limit=1000, **more).stories))


def statuses(results):
    return [(result.status, result.first_story_id) for result in results]


# ------------------------------------------------------------------------------------------------------------- adding


def test_the_first_copy_wins(index):
    first, second = story("a", text="first"), story("a", text="second", story_id="another")
    assert statuses(index.add([first])) == [("created", "story-a")]
    assert statuses(index.add([second])) == [("duplicate", "story-a")]
    index.refresh()
    assert index.get([first.id])[0].text_content == "first"
    assert found(index, "second") == []


def test_a_redelivered_story_knows_its_own_copy(index):
    assert statuses(index.add([story("a"), story("a")])) == [("created", "story-a"), ("own", "story-a")]
    assert statuses(index.add([story("a")])) == [("own", "story-a")]


def test_results_come_in_the_order_of_the_stories(index):
    index.add([story("b")])
    batch = [story("a"), story("b", story_id="x"), story("c"), story("a", story_id="y")]
    assert [result.status for result in index.add(batch)] == ["created", "duplicate", "created", "duplicate"]


def test_two_stories_without_an_id_of_their_own_are_two(index):
    assert [r.status for r in index.add([story("a", story_id=""), story("a", story_id="")])] == ["created", "duplicate"]


def test_an_empty_batch_is_nothing(index):
    assert index.add([]) == []
    index.refresh()
    assert index.count(EVERYTHING) == 0
    assert index.search(EVERYTHING).stories == []


def test_a_story_comes_back_as_it_was(index):
    extra = {"authors": ["A. Writer"], "publication_date_source": "json-ld", "text_confidence": 0.5}
    whole = story(
        "a", "Title “quoted”", "Text\nin lines, 東京 and 🎉", indexed_date=START + 123_456_789, source_id=7, feed_id=8,
        original_url="http://short.example/x", extra=extra, language="fr",
    )  # fmt: skip
    index.add([whole])
    index.refresh()
    assert index.get([whole.id]) == [whole]
    assert index.search(parse_query("東京")).stories == [whole]
    assert index.sample(EVERYTHING, 1) == [whole]


def test_get_keeps_order_and_says_what_is_missing(index):
    a, b = story("a"), story("b")
    index.add([a, b])
    index.refresh()
    assert index.get([b.id, "0" * 64, a.id]) == [b, None, a]
    assert index.get([]) == []


def test_text_can_be_left_out(index):
    index.add([story("a", "title", "a long text")])
    index.refresh()
    (without,) = index.search(EVERYTHING, text=False).stories
    assert (without.article_title, without.text_content) == ("title", "")


def test_stories_stay_after_closing(harness):
    index = harness.open()
    index.add([story("a", text="kept")])
    index.close()
    index = harness.open()
    assert found(index, "kept") == ["a"]
    assert [result.status for result in index.add([story("a", story_id="x")])] == ["duplicate"]
    index.close()


def test_a_second_look_sees_what_was_refreshed(harness):
    writer, reader = harness.open(), harness.open()
    writer.add([story("a", text="one")])
    writer.refresh()
    reader.refresh()
    assert found(reader, "one") == ["a"]
    writer.close()
    assert found(reader, "one") == ["a"]
    reader.close()


def test_broken_characters_do_no_harm(index):
    odd = story("odd", "half \ud83d of one", "null \x00 byte, \ud800 and more " + "x" * 50_000 + " end")
    assert [result.status for result in index.add([odd])] == ["created"]
    index.refresh()
    assert found(index, "byte AND end AND title:half") == ["odd"]


# ---------------------------------------------------------------------------------------------------------- searching


@pytest.fixture
def library(index):
    index.add(
        [
            story("climate", "Climate policy", "The new climate law passed. Critics say it's weak.", language="en"),
            story("klima", "Klimapolitik", "Die Straße nach Düsseldorf", language="de", canonical_domain="b.example",
                  publication_date="2024-02-10", indexed_date=START + DAY),
            story("tokyo", "東京都知事選", "小池百合子氏が東京で3月に会見した。", language="ja", canonical_domain="c.example",
                  publication_date="2024-02-11", source_id=12),
            story("bangkok", "ประเทศไทย", "กรุงเทพมหานคร", language="th", publication_date=None),
            story("hindi", "हिन्दी समाचार", "भारत की राजधानी दिल्ली", language="hi", publication_date="1999-12-31"),
            story("wide", "ＡＢＣ ｎｅｗｓ", "Kraft\u00adwerk l´homme d’affaires", language="", publication_date="2024-12-31"),
        ]
    )  # fmt: skip
    index.refresh()
    return index


QUERIES = [
    ("climate", ["climate"]),
    ("CLIMATE law", ["climate"]),
    ("climate AND NOT law", []),
    ("NOT climate", ["bangkok", "hindi", "klima", "tokyo", "wide"]),
    ("climate OR strasse", ["climate", "klima"]),
    ("title:law", []),
    ("text:law", ["climate"]),
    ('"climate law"', ["climate"]),
    ('"law climate"', []),
    ('"law climate"~2', ["climate"]),
    ('"new passed"~1', []),
    ('"new passed"~2', ["climate"]),
    ('"the law passed"~2', ["climate"]),
    ('"passed law the"~2', []),
    ("it's", ["climate"]),
    ('"policy the"', []),  # title and text are two
    ("klima*", ["klima"]),
    ("d?sseldorf", ["klima"]),
    ("d?seldorf", []),
    ("düss?ld*f", ["klima"]),
    ('"die stra*"', ["klima"]),
    ("STRASSE", ["klima"]),
    ("東京", ["tokyo"]),
    ("京", ["tokyo"]),
    ("京東", []),
    ("東京都知", ["tokyo"]),
    ("東京都で", []),
    ("3月", ["tokyo"]),
    ('"3月に会見"', ["tokyo"]),
    ("กรุงเทพ", ["bangkok"]),
    ("दिल्ली", ["hindi"]),
    ("दिल", []),
    ("abc kraftwerk homme affaires", ["wide"]),
    ("language:de", ["klima"]),
    ("language:(DE OR ja)", ["klima", "tokyo"]),
    ("canonical_domain:B.example", ["klima"]),
    ("source_id:12", ["tokyo"]),
    ("media_id:13", []),
    ("url:https://example.com/klima", ["klima"]),
    ("url:https://example.com/k*", ["klima"]),
    ("url:*/CLIMATE", []),
    ("url:*/cl*te", ["climate"]),
    ("url:*limat?", []),
    ("publication_date:2024-02", ["klima", "tokyo"]),
    ("publication_date:[2024-02-11 TO *]", ["tokyo", "wide"]),
    ("publication_date:{2024-02-10 TO 2024-12-31}", ["tokyo"]),
    ("publication_date:<2000", ["hindi"]),
    ("publication_date:[2025 TO 2024]", []),
    ("NOT publication_date:*", ["bangkok"]),
    ("indexed_date:>=2023-11-15", ["klima"]),
    ("indexed_date:[* TO 1970-01-01]", []),
    ("-language:en -language:de", ["bangkok", "hindi", "tokyo", "wide"]),
    ("*", ["bangkok", "climate", "hindi", "klima", "tokyo", "wide"]),
]


def test_queries(library):
    assert {query: found(library, query) for query, _ in QUERIES} == dict(QUERIES)
    assert {query: library.count(parse_query(query)) for query, _ in QUERIES} == {q: len(e) for q, e in QUERIES}


def test_filters(library):
    everything = parse_query("*")
    assert library.count(everything.within(domains=["b.example", "c.example"])) == 2
    assert library.count(everything.within(domains=["b.example"], sources=[12])) == 2
    assert library.count(everything.within(domains=[])) == 0
    assert library.count(everything.within(languages=["de", "th"])) == 2


def test_stories_by_their_ids_are_a_filter_like_others(index):
    stories = [story(name, text="ferry" if name < "c" else "train") for name in "abcd"]
    index.add(stories)
    index.refresh()
    chosen = parse_query("*").within(ids=[stories[0].id, stories[2].id, "no such story", "0" * 64])
    assert sorted(names(index.search(chosen).stories)) == ["a", "c"]
    assert index.count(parse_query("ferry").within(ids=[stories[0].id, stories[2].id])) == 1
    assert index.count(parse_query("ferry").within(ids=[stories[2].id])) == 0
    assert index.count(EVERYTHING.within(ids=[])) == 0
    assert sum(count for _, count in index.over_time(chosen)) == 2
    assert len(index.sample(chosen, 10)) == 2
    many = [story.id for story in stories] + [f"{number:064x}" for number in range(70_000)]
    assert index.count(EVERYTHING.within(ids=many)) == 4


def test_counts_by_time(library):
    assert library.over_time(EVERYTHING) == [
        ("1999-12-31", 1), ("2024-01-05", 1), ("2024-02-10", 1), ("2024-02-11", 1), ("2024-12-31", 1),
    ]  # fmt: skip
    assert library.over_time(parse_query("publication_date:2024"), "week") == [
        ("2024-01-01", 1), ("2024-02-05", 2), ("2024-12-30", 1),
    ]  # fmt: skip
    assert library.over_time(EVERYTHING, "month") == [
        ("1999-12-01", 1), ("2024-01-01", 1), ("2024-02-01", 2), ("2024-12-01", 1),
    ]  # fmt: skip
    assert library.over_time(parse_query("nowhere")) == []
    with pytest.raises(ValueError, match="interval"):
        library.over_time(EVERYTHING, "year")


def test_top_values(library):
    assert library.top(EVERYTHING, "canonical_domain")[0] == ("example.com", 4)
    assert library.top(EVERYTHING, "canonical_domain", 1) == [("example.com", 4)]
    assert sorted(library.top(EVERYTHING, "language")) == [("de", 1), ("en", 1), ("hi", 1), ("ja", 1), ("th", 1)]
    assert library.top(parse_query("nowhere"), "language") == []


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "query", ["*", "publication_date:2024", "climate OR strasse", "NOT publication_date:*", "nowhere"]
)
def test_a_survey_says_what_each_question_by_itself_says(library, query, order):
    asked = parse_query(query)
    found = library.survey(asked, limit=2, order=order, top=3)
    page = library.search(asked, limit=2, order=order)
    assert (names(found.page.stories), found.page.next_token is None) == (names(page.stories), page.next_token is None)
    assert [one.text_content for one in found.page.stories] == [one.text_content for one in page.stories]
    assert found.count == library.count(asked)
    assert found.days == library.over_time(asked, "day")
    assert found.sources == library.top(asked, "canonical_domain", 3)
    assert found.languages == library.top(asked, "language", 3)


def test_a_survey_goes_on_where_its_page_ended(index):
    index.add([story(str(n), indexed_date=START + n) for n in range(5)])
    index.refresh()
    first = index.survey(EVERYTHING, limit=3)
    second = index.survey(EVERYTHING, limit=3, token=first.page.next_token)
    assert names(first.page.stories + second.page.stories) == ["4", "3", "2", "1", "0"]
    assert (second.count, second.sources, second.page.next_token) == (5, [("example.com", 5)], None)
    with pytest.raises(QueryError, match="token"):
        index.survey(EVERYTHING, token="?")


def test_a_survey_may_leave_out_stories_and_values(library):
    found = library.survey(EVERYTHING, limit=0, top=0)
    assert (found.page.stories, found.page.next_token, found.sources, found.languages) == ([], None, [], [])
    assert (found.count, found.days) == (6, library.over_time(EVERYTHING, "day"))


def test_top_values_over_time(library):
    weeks = library.top_over_time(parse_query("publication_date:2024"), "canonical_domain", "week")
    assert weeks[:2] == [("example.com", "2024-01-01", 1), ("example.com", "2024-12-30", 1)]
    assert sorted(weeks[2:]) == [("b.example", "2024-02-05", 1), ("c.example", "2024-02-05", 1)]
    months = library.top_over_time(EVERYTHING, "language", "month")
    assert ("ja", "2024-02-01", 1) in months


def test_more_counts_than_an_engine_gives_at_a_time(library, monkeypatch):
    whole = library.top_over_time(EVERYTHING, "canonical_domain", "day")
    monkeypatch.setattr(tantivy_counts, "MAX_BUCKETS", 6)
    monkeypatch.setattr(search_server, "_MAX_COUNTS", 6)
    assert library.top_over_time(EVERYTHING, "canonical_domain", "day") == whole
    assert len(whole) == 5
    with pytest.raises(ValueError, match="interval"):
        library.top_over_time(EVERYTHING, "canonical_domain", "year")


def test_a_very_frequent_word_comes_first_by_relevance(index):
    index.add(
        [story("once", text="apple " + "pear " * 50), story("often", text="apple " * 5), story("never", text="pear")]
    )
    index.refresh()
    assert names(index.search(parse_query("apple"), order="relevance").stories) == ["often", "once"]


# ------------------------------------------------------------------------------------------------------------- paging


def pages(index, query, limit, **more):
    token, seen = None, []
    while True:
        page = index.search(parse_query(query), limit=limit, token=token, **more)
        assert len(page.stories) <= limit
        seen.append(names(page.stories))
        token = page.next_token
        if token is None:
            return seen


@pytest.mark.parametrize("order", ["indexed-newest", "indexed-oldest"])
@pytest.mark.parametrize("limit", [1, 3, 7, 10, 100])
def test_pages_by_indexing_hold_every_story_once(index, limit, order):
    # Many share a moment, as stories of an archive that noted only the day do.
    stories = [
        story(str(n), text="even" if n % 2 == 0 else "odd", indexed_date=START + n // 7 * DAY) for n in range(40)
    ]
    index.add(stories[20:])
    index.add(stories[:20])
    index.refresh()
    for query, expected in (("*", stories), ("even", stories[::2])):
        flat = [name for page in pages(index, query, limit, order=order) for name in page]
        assert sorted(flat, key=int) == names(expected)
        dates = [stories[int(name)].indexed_date for name in flat]
        assert dates == sorted(dates, reverse=order == "indexed-newest")


@pytest.mark.parametrize("order", ["newest", "oldest"])
@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_pages_by_publication_hold_every_story_once_and_end_with_those_without_a_day(index, limit, order):
    days = [None, "1899-12-31", "1970-01-01", "2024-02-01", "2024-02-02", "2026-11-18"]
    stories = [
        story(str(n), text="even" if n % 2 == 0 else "odd", publication_date=days[n * 5 % 6], indexed_date=START - n)
        for n in range(30)
    ]
    index.add(stories)
    index.refresh()
    for query, expected in (("*", stories), ("even", stories[::2])):
        flat = [name for page in pages(index, query, limit, order=order) for name in page]
        assert sorted(flat, key=int) == names(expected)
        found = [stories[int(name)].publication_date for name in flat]
        dated = [day for day in found if day]
        assert dated == sorted(dated, reverse=order == "newest")
        assert found[len(dated) :] == [None] * (len(found) - len(dated))


@pytest.mark.parametrize("order", ["newest", "indexed-newest"])
def test_pages_do_not_shift_when_stories_come_in(index, order):
    index.add([story(str(n), indexed_date=START + n) for n in range(10)])
    index.refresh()
    page = index.search(EVERYTHING, limit=4, order=order)
    index.add([story("new", indexed_date=START + 99)])
    index.refresh()
    rest = index.search(EVERYTHING, limit=100, token=page.next_token, order=order)
    assert names(page.stories + rest.stories) == [str(n) for n in reversed(range(10))]


def test_pages_by_relevance(index):
    index.add([story(str(n), text="apple " * (n + 1) + "pear " * 20) for n in range(9)])
    index.refresh()
    flat = [name for page in pages(index, "apple", 4, order="relevance") for name in page]
    assert flat == [str(n) for n in reversed(range(9))]


@pytest.mark.parametrize("token", ["", "x", "1.2.3", "-1.2", "9" * 400, "😀", "null", "[]", "{}"])
def test_a_token_of_somebody_else_is_refused(index, token):
    index.add([story("a")])
    index.refresh()
    with pytest.raises(QueryError, match="token"):
        index.search(EVERYTHING, token=token)


def test_samples_are_random_and_without_repetition(index):
    index.add([story(str(n), text="even" if n % 2 == 0 else "odd") for n in range(60)])
    index.refresh()
    even = names(index.sample(parse_query("even"), 100))
    assert sorted(even, key=int) == [str(n) for n in range(0, 60, 2)]
    samples = [tuple(sorted(names(index.sample(EVERYTHING, 10)))) for _ in range(6)]
    assert all(len(set(sample)) == 10 for sample in samples)
    assert len(set(samples)) > 1
    assert index.sample(parse_query("nowhere"), 5) == []
    assert index.sample(EVERYTHING, 0) == []


# ------------------------------------------------------------------------------------------------------------ hostile

HOSTILE = [
    "(" * 200 + "a" + ")" * 200,
    "(a OR " * 200 + "b" + " AND c)" * 200,
    " OR ".join(f"term{n}" for n in range(500)),
    " AND ".join(f"term{n}" for n in range(500)),
    " ".join(f"-term{n}" for n in range(500)),
    " OR ".join(f'"climate term{n}"~5' for n in range(300)),
    " OR ".join(f"te{n}*" for n in range(50)),
    " OR ".join(f"t*e*r*m*{n}*x" for n in range(50)),
    '"' + "a " * 500 + '"~1000',
    '"' + " ".join(f"w{n}" for n in range(500)) + '"',
    "url:*a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p",
    "url:" + "?" * 1000,
    "url:" + "a" * 20_000,
    "a" * 20_000,
    "aa" + "?" * 5_000,
    "東京" * 500,
    "a\x00b",
    "climate\x00",
    "\x00",
    '"',
    "'",
    "\\",
    "publication_date:[0001-01-01 TO 9999-12-31]",
    "indexed_date:[0001-01-01 TO 9999-12-31]",
    "source_id:999999999999999999",
    "title:/.*/",
    "{!parser}",
    "\ud800",
]


def test_hostile_queries_get_an_answer_or_an_error_in_time(library):
    for text in HOSTILE:
        start = time.process_time(), time.monotonic()
        try:
            query = parse_query(text)
            assert library.count(query) >= 0
            library.search(query, order="relevance")
        except QueryError as error:
            assert str(error)
        assert time.process_time() - start[0] < 1, text[:50]
        assert time.monotonic() - start[1] < 10, text[:50]  # a busy machine may run others between


# ----------------------------------------------------------------------------------------------------------- deadline


EXPENSIVE = parse_query(near_phrases(35, 1000).replace(" OR ", " AND "))


@pytest.mark.parametrize(
    "ask",
    [
        lambda index: index.count(EXPENSIVE),
        lambda index: len(index.search(EXPENSIVE, text=False, limit=500).stories),
        lambda index: index.survey(EXPENSIVE).count,
    ],
    ids=["count", "search", "survey"],
)
def test_a_query_that_takes_too_long_is_stopped_or_answered_whole(harness, ask):
    """A server looks at the clock now and then, and may be done before that; what it tells then is about all stories."""
    hurried, index = harness.open(query_seconds=0.001), harness.open()
    index.add(long_stories(500, 400))
    index.refresh()
    try:
        assert ask(hurried) == 500 and harness.name != "tantivy"
    except TooSlow as stopped:
        assert "0.001 s (engines.query_seconds)" in str(stopped) and "35 phrases with a distance" in str(stopped)
        assert "\n" not in str(stopped)
    assert hurried.count(EVERYTHING) == 500
    assert index.count(parse_query("the")) == 500
    hurried.close()
    index.close()


def test_an_expensive_query_has_the_same_answer_as_a_cheap_one(harness):
    """The last word of the phrase occurs in no other form, so the star changes the cost and not the answer."""
    index = harness.open()
    index.add([*long_stories(30, 500), story("end", "two words", "the quokka"), story("not", "", "quokka the")])
    index.refresh()
    patient = harness.open(query_seconds=0)
    for other in (index, patient):
        assert found(other, '"the quok*"') == ["end"]
        assert names(other.survey(parse_query('"the quok*"')).page.stories) == ["end"]
        assert other.top_over_time(parse_query('"the quok*"'), "language") == [("en", "2024-01-01", 1)]
        other.close()


# ----------------------------------------------------------------------------------------------------------- removing


def test_removed_stories_are_found_no_more(index):
    index.add([story(name, f"title {name}", f"text of {name}") for name in "abcd"])
    index.refresh()
    assert index.remove([story("b").id, story("d").id, "0" * 64]) == 2
    assert index.get([story(name).id for name in "abcd"]) == [
        story("a", "title a", "text of a"), None, story("c", "title c", "text of c"), None,
    ]  # fmt: skip
    assert found(index, "text") == ["a", "c"]
    assert index.count(parse_query("title")) == 2
    assert index.remove([story("b").id]) == 0


def test_the_newest_and_the_last_story_can_be_removed(harness):
    index = harness.open()
    index.add([story("a"), story("b")])
    assert index.remove([story("b").id]) == 1
    assert index.remove([story("a").id]) == 1
    assert index.count(EVERYTHING) == 0
    index.close()
    index = harness.open()
    assert statuses(index.add([story("b", text="again", story_id="later")])) == [("created", "later")]
    index.refresh()
    assert found(index, "again") == ["b"]
    index.close()


def test_what_was_removed_can_be_added_anew_and_others_go_on(index):
    index.add([story(str(number)) for number in range(20)])
    index.remove([story(str(number)).id for number in range(0, 20, 2)])
    results = index.add([story(str(number), story_id="x") for number in range(20)])
    assert [result.status for result in results] == ["created", "duplicate"] * 10
    index.refresh()
    assert index.count(EVERYTHING) == 20

"""The newsroom is the same every time, says what it means, and its truth adds up."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from resiliparse.parse.lang import detect_fast

from tearsheet.demo import Newsroom
from tearsheet.demo.cases import BAD_CASES, GOOD_CASES, INDEXED, REPEATS, VERDICTS, Case
from tearsheet.demo.languages import EVENTS, LANGUAGES
from tearsheet.demo.model import LinkKind, plain_text
from tearsheet.urls import is_homepage, normalize_url

DIGEST = """
import hashlib, sys
from tearsheet.demo import Newsroom
newsroom = Newsroom(int(sys.argv[1]))
digest = hashlib.sha256(repr(newsroom.expectation()).encode())
for (host, target), route in sorted(newsroom._routes.items(), key=lambda item: item[0]):
    if "oversized" not in target:
        digest.update(repr((host, target, route.first, route.make())).encode())
print(digest.hexdigest())
"""


@pytest.fixture(scope="module")
def newsroom():
    return Newsroom()


def test_same_seed_gives_the_same_bytes_in_every_process():
    def digest(seed: int, hash_seed: str) -> str:
        command = [sys.executable, "-c", DIGEST, str(seed)]
        environment = {"PYTHONHASHSEED": hash_seed}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = digest(1, "1")
    assert len(first.strip()) == len(hashlib.sha256().hexdigest())
    assert digest(1, "2") == first
    assert digest(2, "1") != first


@pytest.mark.parametrize(("sites", "articles"), [(1, 120), (8, 10)])
def test_refuses_to_be_too_small(sites, articles):
    with pytest.raises(ValueError, match="at least"):
        Newsroom(1, sites, articles)


@pytest.mark.parametrize(("seed", "sites", "articles"), [(1, 8, 120), (2, 2, 40), (3, 5, 60), (4, 30, 700)])
def test_totals_add_up(seed, sites, articles):
    newsroom = Newsroom(seed, sites, articles)
    expectation = newsroom.expectation()
    totals = expectation.totals
    assert totals.entries == sum(len(feed.entries) for feed in newsroom.feeds)
    assert totals.queued == totals.entries - sum(totals.skipped.values())
    assert totals.indexed == totals.archived == articles
    assert totals.queued == totals.indexed + sum(totals.dropped.values())
    outcomes = Counter(entry.outcome for entry in expectation.entries)
    assert outcomes == {
        "indexed": articles, "skipped": sum(totals.skipped.values()), "dropped": sum(totals.dropped.values()),
    }  # fmt: skip
    indexed = [entry.story for entry in expectation.entries if entry.verdict == INDEXED]
    assert sorted(map(str, indexed)) == sorted(story.normalized_url for story in expectation.stories)
    assert len({story.normalized_url for story in expectation.stories}) == articles
    assert {Case(entry.case) for entry in expectation.entries} == set(Case)


def test_every_case_has_a_verdict():
    assert set(VERDICTS) == set(Case) == {*GOOD_CASES, *REPEATS, *BAD_CASES}
    assert {verdict.stage for verdict in VERDICTS.values()} == {"feeds", "fetcher", "parser", "importer", "archiver"}


@pytest.mark.parametrize(("seed", "sites"), [(1, 8), (5, 14)])
def test_the_product_normalises_addresses_as_the_newsroom_does(seed, sites):
    newsroom = Newsroom(seed, sites)
    for article in newsroom.articles:
        assert normalize_url(article.url) == article.normalized_url
        assert not is_homepage(article.url)
    queued: Counter[str] = Counter()
    for entry in newsroom.expectation().entries:
        if entry.verdict.reason == "dup_url":
            assert normalize_url(entry.link) == normalize_url(entry.duplicate_of or "")
        elif entry.outcome != "skipped":
            queued[normalize_url(entry.link)] += 1
        if entry.verdict.reason == "dups":
            assert normalize_url(entry.link) != normalize_url(entry.duplicate_of or "")
    assert set(queued.values()) == {1}, "what is queued has an address of its own"


def test_a_repeat_in_the_same_feed_stands_below_what_it_repeats(newsroom):
    for feed in newsroom.feeds[:-1]:
        links = [entry.link for entry in feed.entries]
        for position, entry in enumerate(feed.entries):
            if entry.original:
                assert links.index(entry.original) < position


def test_titles_are_told_apart(newsroom):
    repeated = Counter(
        entry.title.casefold() for feed in newsroom.feeds for entry in feed.entries if not entry.original
    )
    assert set(repeated.values()) == {1}


def test_articles_are_long_distinct_and_in_their_language(newsroom):
    seen: set[str] = set()
    for article in newsroom.articles:
        paragraphs = [plain_text(paragraph) for paragraph in newsroom.body(article)]
        assert len(paragraphs) >= 6
        assert len("".join(paragraphs)) > 400
        assert "{" not in "".join(paragraphs) + article.title
        assert not seen & set(paragraphs), "no paragraph is printed twice"
        seen |= set(paragraphs)
        assert detect_fast(newsroom.text(article))[0] == article.language
    assert {article.language for article in newsroom.articles} == set(LANGUAGES)
    assert {article.event for article in newsroom.articles} == set(EVENTS)


def test_articles_are_four_weeks_old_at_most(newsroom):
    for article in newsroom.articles:
        assert timedelta(0) <= newsroom.today - article.published.date() < timedelta(days=28)


def test_every_language_can_tell_of_every_event():
    for language in LANGUAGES.values():
        assert set(language.events) == set(EVENTS)
        assert len(language.general) == len(LANGUAGES["en"].general) and len(language.claims) == 10
        for event in language.events.values():
            assert len(event.headlines) == 3 and len(event.sentences) == 8
            assert len(set(event.sentences)) == 8


def test_links_lead_to_what_they_say(newsroom):
    kinds = Counter(link.kind for link in newsroom.links)
    assert all(kinds[kind] > 5 for kind in LinkKind)
    assert any(link.target is None for link in newsroom.links)
    for article in newsroom.articles:
        written = [link for link in newsroom.links_of(article) if link.kind is not LinkKind.RELATED]
        spans = [span for paragraph in newsroom.body(article) for span in paragraph]
        anchors = [span.href for span in spans if span.href]
        assert sorted(anchors) == sorted(link.url for link in written if link.kind is LinkKind.BODY)
        text = newsroom.text(article)
        assert all(link.url in text for link in written if link.kind is LinkKind.CLEAR)
        for link in written:
            assert link.target is None or newsroom.articles[link.target].site is not article.site
            assert link.target is None or newsroom.articles[link.target].event == article.event


def test_unlisted_articles_are_reached_by_links_alone(newsroom):
    listed = {article.number for article in newsroom.articles if article.listed}
    unlisted = {article.number for article in newsroom.articles} - listed
    assert unlisted
    assert not unlisted & {entry.article for feed in newsroom.feeds for entry in feed.entries}
    reached, fresh = set(listed), set(listed)
    while fresh:
        found = {link.target for link in newsroom.links if link.source in fresh and link.target is not None}
        fresh = found - reached
        reached |= fresh
    assert unlisted <= reached


def test_the_newsroom_uses_nothing_of_the_pipeline():
    code = (
        "import sys, tearsheet.demo; own = [name for name in sys.modules if name.startswith('tearsheet.')];"
        "print([name for name in own if not name.startswith('tearsheet.demo')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

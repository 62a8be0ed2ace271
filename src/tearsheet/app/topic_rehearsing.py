"""Judging a topic's matches by hand: which are to be judged, what was judged, and what that says of the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.counts import how_many
from tearsheet.feeds.catalogue import members_of
from tearsheet.index import all_stories, is_telling
from tearsheet.query import Leaf, Phrase, Prefix, Query, Term, cut, leaves, parse_query
from tearsheet.topics import TellingWord, Topic, seed_question, store
from tearsheet.topics.rehearsal import (
    Exclusion,
    Precision,
    exclusion_hint,
    judgements_of,
    keep_judgements,
    precision_of,
    read_sheet,
    sample_of,
    words_of_wrong,
)
from tearsheet.topics.spider import WebStory, stories_by_id, story_of_index

Tell = Callable[[str], object]
_WORDS = 10
_LEAST_Z = 1.0
"""Words that tell less than this are not worth reading."""
_READ = 20_000
"""Characters of a story whose words are looked at."""


@dataclass(slots=True, frozen=True)
class Match:
    """A story that a person judges."""

    id: str
    url: str
    title: str
    media: str
    day: date | None
    text: str


@dataclass(slots=True, frozen=True)
class Rehearsed:
    """What was judged of a topic so far."""

    in_topic: bool
    """Whether the matches are the stories of the topic; else it has none yet, and they are those of the index that match."""
    precision: Precision
    of_wrong: list[TellingWord]
    """Words that the wrong ones have; `first` counts wrong stories, `second` right ones."""
    of_right: list[TellingWord]
    hint: Exclusion | None


def matches_to_judge(services: Services, topic: Topic, number: int, tell: Tell) -> list[Match]:
    """The next matches to judge, in the random order of the topic."""
    matches, in_topic = _matches(services, topic, tell)
    judged = judgements_of(services.database, topic.id)
    _, following = sample_of(topic.name, matches, judged, number)
    return [
        Match(story.id, story.url, story.title, story.media, story.day, f"{story.description}\n\n{story.text}".strip())
        for story in _stories(services, following, in_topic)
    ]


def judge_matches(services: Services, topic: Topic, judged: Mapping[str, bool | None]) -> None:
    """Keep what a person judged of some matches; None is that they could not tell."""
    keep_judgements(services.database, topic.id, judged)


def read_judgements(services: Services, topic: Topic, file: Path) -> int:
    """Keep what a sheet says; returns how many matches are in it. Raises UsageError, and keeps nothing then."""
    judged = read_sheet(file, set(_matches(services, topic, lambda _: None)[0]))
    keep_judgements(services.database, topic.id, judged)
    return len(judged)


def judged_so_far(services: Services, topic: Topic, tell: Tell) -> Rehearsed:
    """The precision of the matches as far as they were judged, and the words that tell the wrong ones from the right ones."""
    matches, in_topic = _matches(services, topic, tell)
    judged = judgements_of(services.database, topic.id)
    sample, _ = sample_of(topic.name, matches, judged, 0)
    asked_for = _asked_for(parse_query(topic.query))
    wrong, right = (
        [_words(story, asked_for) for story in _stories(services, ids, in_topic)]
        for ids in ([id for id in sample if judged[id] is False], [id for id in sample if judged[id]])
    )
    rows = words_of_wrong(wrong, right)
    return Rehearsed(
        in_topic,
        precision_of(sample, judged, len(matches)),
        [row for row in rows if row.z > _LEAST_Z][:_WORDS],
        [row for row in reversed(rows) if row.z < -_LEAST_Z][:_WORDS],
        exclusion_hint(wrong, right, rows),
    )


def _matches(services: Services, topic: Topic, tell: Tell) -> tuple[list[str], bool]:
    """The ids of the topic's stories; while it has none, those of the stories of the index that match."""
    if members := store.story_ids(services.database, topic.id):
        return members, True
    services.index.refresh()
    asked = seed_question(topic).ask(partial(members_of, services.database))
    found = []
    for story in all_stories(services.index, asked.query, text=False, order="indexed-oldest"):
        found.append(story.id)
        tell(f"{how_many(len(found), 'match')} found")
    return found, False


def _stories(services: Services, ids: Sequence[str], in_topic: bool) -> list[WebStory]:
    if in_topic:
        known = stories_by_id(services.database, ids)
        return [known[id] for id in ids if id in known]
    return [story_of_index(story) for story in services.index.get(ids) if story]


def _asked_for(query: Query) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that the query asks for, and how words may begin that it asks for: they tell nothing."""

    def words(leaf: Leaf) -> Sequence[str]:
        return leaf.words if isinstance(leaf, Phrase) else (leaf.word,) if isinstance(leaf, Term) else ()

    wanted = list(leaves(query.tree, negated=False))
    starts = tuple(leaf.start for leaf in wanted if isinstance(leaf, Prefix))
    return frozenset(word for leaf in wanted for word in words(leaf)), starts


def _words(story: WebStory, asked_for: tuple[frozenset[str], tuple[str, ...]]) -> set[str]:
    whole, starts = asked_for
    read = cut(f"{story.title}\n\n{story.description}\n\n{story.text}"[:_READ])
    return {word for word in read if is_telling(word) and word not in whole and not word.startswith(starts)}

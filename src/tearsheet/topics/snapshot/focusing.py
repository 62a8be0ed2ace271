"""Which stories of a snapshot belong to which foci: worked out anew whenever the foci change, without asking the web."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from tearsheet.engines.database import Database
from tearsheet.feeds.catalogue import members_of
from tearsheet.query import Query, fold, make_subject, parse_query
from tearsheet.topics.foci import Focus, country_of
from tearsheet.topics.snapshot.frozen import Frozen, FrozenStory
from tearsheet.topics.texts import StoryText, texts_of


@dataclass(slots=True, frozen=True)
class _Rule:
    """A focus that is ready to be applied."""

    name: str
    focus: Focus
    query: Query | None
    members: Collection[str]
    """The sources in its collections."""


def in_foci(database: Database, frozen: Frozen, foci: Mapping[str, Focus]) -> Frozen:
    """A snapshot with these foci in place of its own. Raises NotFoundError for a collection that is no more."""
    rules = [_rule(database, name, focus) for name, focus in sorted(foci.items())]
    asked = [story.id for story in frozen.stories] if any(rule.query for rule in rules) else []
    texts = texts_of(database, asked)
    stories = tuple(
        msgspec.structs.replace(story, foci=_foci_of(story, text, rules))
        for story, text in _each_with_text(frozen.stories, texts)
    )
    described = tuple((name, focus.describe()) for name, focus in sorted(foci.items()))
    return msgspec.structs.replace(frozen, foci=described, stories=stories)


def _rule(database: Database, name: str, focus: Focus) -> _Rule:
    members = members_of(database, collections=focus.collections)[0] if focus.collections else ()
    return _Rule(name, focus, parse_query(focus.query) if focus.query else None, members)


def _each_with_text(
    stories: Collection[FrozenStory], texts: Iterator[StoryText]
) -> Iterator[tuple[FrozenStory, StoryText | None]]:
    """Each story with its text, which come in the same order; None for those that have none."""
    text = next(texts, None)
    for story in stories:
        if text is not None and text.id == story.id:
            yield story, text
            text = next(texts, None)
        else:
            yield story, None


def _foci_of(story: FrozenStory, text: StoryText | None, rules: Collection[_Rule]) -> tuple[str, ...]:
    among = [rule for rule in rules if _may_be_in(story, rule)]
    if not any(rule.query for rule in among):
        return tuple(rule.name for rule in among)
    subject = make_subject(
        title=story.title,
        text=text.said if text else "",
        url=text.url if text else story.url,
        language=story.language,
        canonical_domain=story.media,
        publication_date=text.publish_date if text else story.day,
    )
    return tuple(rule.name for rule in among if rule.query is None or rule.query.matches_subject(subject))


def _may_be_in(story: FrozenStory, rule: _Rule) -> bool:
    """Whether a story is from a focus's sources, collections and countries, and in its languages, as far as those are given."""
    focus = rule.focus
    return (
        (not focus.sources or story.media in focus.sources)
        and (not focus.collections or story.media in rule.members)
        and (not focus.languages or fold(story.language) in focus.languages)
        and (not focus.countries or country_of(story.media) in focus.countries)
    )

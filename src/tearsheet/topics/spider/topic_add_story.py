"""`topic_add_story`: tests whether a story is relevant, and adds it to the topic."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from tearsheet.query import parse_query
from tearsheet.topics import model
from tearsheet.topics.decisions import INCLUDE, decision_on_story
from tearsheet.topics.model import Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.dedupe import TitledStory, same_story
from tearsheet.topics.spider.relevance import (
    Parts,
    Verdict,
    fingerprint,
    judge,
    leave_out_repeated,
    outside_dates,
    raw_test,
    split_sentences,
)
from tearsheet.topics.spider.stores import candidates, web_stories
from tearsheet.topics.spider.stores.candidates import Candidate
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.stores.sentences import other_users
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import WebStory

_parsed = lru_cache(maxsize=100)(parse_query)


class AddStory:
    """Judges one story of a topic."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, topic: Topic, taken: Taken) -> None:
        """Judge the story, and add it to the topic if it is relevant."""
        await asyncio.to_thread(self._add, topic, taken.item)

    def _add(self, topic: Topic, stories_id: str) -> None:
        candidate = candidates.get_candidate(self._tools.database, topic.id, stories_id)
        if candidate is None or candidate.state != model.ADDING:
            return
        verdict = self._judge(topic, candidate)
        route = routing.after_add(
            story_is_relevant=verdict.relevant, iteration=candidate.iteration, max_iterations=topic.max_iterations
        )
        candidates.decide(
            self._tools.database, topic.id, stories_id, state=route.state, spidered=route.spidered, why=verdict.why
        )

    def _judge(self, topic: Topic, candidate: Candidate) -> Verdict:
        story = self._tools.as_counted(topic, candidate.story)
        if decided := self._decided(topic, story):
            return decided
        if candidate.assume_match:
            return Verdict(True, "said to match by its seed")
        if reason := outside_dates(story.day, topic.start, topic.end):
            return Verdict(False, reason)
        sentences = split_sentences(story.text)
        repeated = self._repeated(topic, story, candidate.iteration, sentences)
        kept, left_out = leave_out_repeated(sentences, repeated.__contains__)
        parts = Parts(
            title=story.title,
            description=story.description if fingerprint(story.description) not in repeated else "",
            url=story.url,
            sentences=kept,
            repeated=left_out,
            language=story.language,
            media=story.media,
            day=story.day,
        )
        return judge(_parsed(topic.query), parts)

    def _decided(self, topic: Topic, story: WebStory) -> Verdict | None:
        """The verdict of a person, if there is one."""
        with self._tools.database.read() as connection:
            decision = decision_on_story(connection, topic.id, story.id)
        if decision is None:
            return None
        included = decision.kind == INCLUDE
        return Verdict(included, f"{'taken in' if included else 'left out'} by hand: {decision.reason}"[:500])

    def _repeated(self, topic: Topic, story: WebStory, iteration: int, sentences: Sequence[str]) -> set[int]:
        """Fingerprints of sentences that another story of the source used in that week; a copy of this story does not count."""
        test = raw_test(topic.query)
        prints = [fingerprint(sentence) for sentence in sentences if test.touches(sentence)]
        used = other_users(self._tools.database, topic.id, story, iteration, prints)
        others = web_stories.titles_of(self._tools.database, sorted(set().union(*used.values())))
        own = TitledStory(story.id, story.media, story.day, story.title)
        copies = {
            id
            for id, (title, day) in others.items()
            if same_story(own, TitledStory(id, story.media, date.fromisoformat(day) if day else None, title))
        }
        return {number for number, users in used.items() if users - copies}

    def give_up(self, taken: Taken, reason: str, *, defect: bool) -> None:
        """Leave out a story that could not be judged, and record why."""
        candidates.decide(
            self._tools.database,
            taken.topic_id,
            taken.item,
            state=model.OUT,
            spidered=True,
            why=f"error: {reason}"[:500],
        )

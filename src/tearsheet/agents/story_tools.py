"""The tools for stories: search, count, read, verify."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tearsheet.agents.calls import Answer, Arguments, Call, Tool, listed, proof_of, proofs_of
from tearsheet.agents.wording import LONGEST_ADDRESS, LONGEST_TITLE, cut, fitted
from tearsheet.app import index_for
from tearsheet.engines.index import Index
from tearsheet.index import Question, answers, read_question
from tearsheet.web import ask, read_capture, view_of

MOST_STORIES, MOST_ROWS = 50, 500
_NOTHING = "no story matches: count_stories with the query `*` says how many there are of these days and sources"
StoryName = Field(description="The id of a story (64 hexadecimal digits), or its address.")


class Filters(Arguments):
    """A query and its filters, the same for searching and counting."""

    query: str = Field(
        description='As `climate AND (policy OR law*)`, `title:flood`, `"sea wall"~3`; `*` is every story.'
    )
    start: str = Field("", description="First day of publication: YYYY-MM-DD, or a month or year.")
    end: str = Field("", description="Last day of publication.")
    sources: list[str] = Field([], max_length=50, description="Only these domains, as `example.com`.")
    collections: list[str] = Field([], max_length=20, description="Only sources of these collections, by name or id.")
    languages: list[str] = Field([], max_length=20, description="Only these languages, as `en`.")
    topic: str = Field("", description="Only stories of this topic, by name, also those that only its spider fetched.")
    as_of: str = Field("", description="Only stories indexed up to this moment, as `2026-11-15T08:00:00Z`.")

    def question(self, **more: Any) -> Question:
        """The question. Raises QueryError or UsageError."""
        return read_question(
            self.query,
            start=self.start,
            end=self.end,
            sources=self.sources,
            collections=self.collections,
            languages=self.languages,
            as_of=self.as_of,
            topic=self.topic or None,
            **more,
        )


class Search(Filters):
    """What `search_stories` is asked with."""

    order: Literal["newest", "oldest", "relevance"] = Field(
        "newest", description="By day of publication, or by relevance."
    )
    limit: int = Field(10, ge=1, le=MOST_STORIES, description="How many stories; long answers have fewer.")
    token: str = Field("", description="`next_token` of the answer before, for the stories after it.")


class Count(Filters):
    """What `count_stories` is asked with."""

    by: Literal["", "day", "week", "month", "source", "language", "word"] = Field(
        "", description="Count by this; without it, one total."
    )
    limit: int = Field(50, ge=1, le=MOST_ROWS, description="How many sources, languages or words; the newest days.")


class Read(Arguments):
    """What `read_story` is asked with."""

    story: str = StoryName
    offset: int = Field(
        0, ge=0, le=1 << 40, description="Where to begin in the text: `next_offset` of the answer before."
    )


class Verify(Arguments):
    """What `verify_story` is asked with."""

    story: str = StoryName


def search(call: Call, asked: Search) -> Answer:
    """A page of stories that match."""
    reach = call.reach()
    shown: list[str] = []

    def make(limit: int) -> dict[str, Any]:
        question = asked.question(order=asked.order, limit=limit, token=asked.token)
        query = ask(call.shared.site, question, reach).query
        index = index_for(call.services, question)
        page = answers.stories(index, query, limit=limit, token=question.token, order=question.order)
        shown[:] = [story.id for story in page.stories]
        matching = index.count(query)
        return {
            "meaning": question.explain(),
            "matching": matching,
            **({} if matching else {"note": _NOTHING}),
            "stories": list(map(listed, page.stories, proofs_of(call.services, page.stories))),
            "next_token": page.next_token,
        }

    return Answer(fitted(make, min(asked.limit, call.room.stories), call.room.characters), shown)


def count(call: Call, asked: Count) -> Answer:
    """How many stories match: all, or by day, week, month, source, language or word."""
    question = asked.question()
    both = ask(call.shared.site, question, call.reach())
    index = index_for(call.services, question)
    rows = _rows(call, index, asked, both)
    total = answers.count(index, both.query, both.everything)

    def make(most: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "meaning": question.explain(), "matching": total.count, "of": total.total, "share": round(total.share, 6),
        }  # fmt: skip
        if asked.by:
            over_time = asked.by in ("day", "week", "month")
            kept = rows[-most:] if over_time else rows[:most]
            body |= {"by": asked.by, "left_out": len(rows) - len(kept)}
            body |= {"rows": kept} if over_time else {"untrusted": {"rows": kept}}
        return body

    return Answer(fitted(make, min(asked.limit, max(1, len(rows))), call.room.characters))


def _rows(call: Call, index: Index, asked: Count, both: Any) -> list[dict[str, Any]]:
    if not asked.by:
        return []
    if asked.by in ("source", "language"):
        most_of = answers.top_sources if asked.by == "source" else answers.languages
        return [{asked.by: name, "stories": number} for name, number in most_of(index, both.query, asked.limit)]
    with call.shared.site.heavy.turn():
        if asked.by == "word":
            found = answers.words(index, both.query, asked.limit)
            return [
                {"word": one.word, "times": one.count, "stories": one.stories, "of": one.looked_at} for one in found
            ]
        return [
            {"date": point.date, "stories": point.count, "of": point.total, "share": round(point.share, 6)}
            for point in answers.attention(index, both.query, asked.by, both.everything)
        ]


def read(call: Call, asked: Read) -> Answer:
    """A story with a part of its text."""
    story = call.story(asked.story)
    view = view_of(call.shared.site, story.id, call.reach())
    [proof] = proofs_of(call.services, [story])
    length = len(view.text)

    def make(letters: int) -> dict[str, Any]:
        end = min(length, asked.offset + letters)
        return {
            "id": view.id,
            "published": view.publication_date,
            "published_from": view.publication_date_source,
            "language": view.language,
            "indexed": view.indexed.isoformat(),
            "proof": proof,
            "text": {"from": min(asked.offset, length), "to": end, "of": length},
            "next_offset": end if end < length else None,
            "untrusted": {
                "title": cut(view.title, LONGEST_TITLE),
                "source": cut(view.source_name or view.domain, LONGEST_TITLE),
                "address": cut(view.url, LONGEST_ADDRESS),
                "text": view.text[asked.offset : end],
            },
        }

    return Answer(
        fitted(make, max(1, min(length - asked.offset, call.room.characters)), call.room.characters), [view.id]
    )


def verify(call: Call, asked: Verify) -> Answer:
    """Whether the archived page of a story is still the one that was captured."""
    story = call.story(asked.story)
    capture, found = read_capture(call.shared.site, story)
    genuine = found.sha256 == capture.sha256
    told = (
        "the archived page was read again and has the digest that was recorded when it was captured"
        if genuine
        else "the archived page is NOT the one that was captured: its digest differs; tell the operator"
    )
    body = {
        "id": story.id,
        "verified": genuine,
        "note": told,
        "sha256_now": found.sha256,
        "proof": proof_of(capture),
        "untrusted": {"address": cut(found.uri, LONGEST_ADDRESS)},
    }
    return Answer(body, [story.id])


TOOLS: tuple[Tool[Any], ...] = (
    Tool(
        "search_stories",
        "Search stories",
        "Find stories by words, days, sources, collections and languages. Each comes with its proof; read_story has the text.",
        Search,
        search,
    ),
    Tool(
        "count_stories",
        "Count stories",
        "Count stories that match, as a share of all stories: in total, over time, by source, by language, or their words.",
        Count,
        count,
    ),
    Tool("read_story", "Read a story", "The text of a story, in parts of limited length, with its proof.", Read, read),
    Tool(
        "verify_story",
        "Verify a story's proof",
        "Read the archived page of a story again and compare its SHA-256 with the one recorded when it was captured.",
        Verify,
        verify,
    ),
)

"""A parsed query: its text, its tree, and what can be done with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from tearsheet.query.dates import day_number
from tearsheet.query.explain import explain_tree
from tearsheet.query.match import Subject, make_subject, tree_matches
from tearsheet.query.parser import MAX_MOMENT, parse
from tearsheet.query.pattern import pattern_field, to_pattern
from tearsheet.query.pattern import subject as pattern_subject
from tearsheet.query.tree import STORY, Node, OneOf, Range, conjunction, disjunction
from tearsheet.query.words import fold


@dataclass(slots=True, frozen=True)
class Query:
    """A parsed query."""

    source: str
    """The original text."""
    tree: Node

    def within(
        self,
        *,
        start: date | None = None,
        end: date | None = None,
        domains: Iterable[str] | None = None,
        sources: Iterable[int] | None = None,
        languages: Iterable[str] | None = None,
        indexed_until: int | None = None,
        ids: Iterable[str] | None = None,
    ) -> Query:
        """The same query, only for stories of these days (both included), domains or sources, and languages.

        Domains and sources together mean stories of either, because a story names its source by id or by domain. An empty
        collection means that no story can match. `indexed_until` (nanoseconds since 1970) leaves out later stories: as
        the index only grows, the same query then always gives the same stories. `ids` are of stories in the index.
        """
        parts = [self.tree]
        if start or end:
            first, last = (None if day is None else day_number(day) for day in (start, end))
            parts.append(Range("publication_date", first, last))
        places: list[Node] = []
        if domains is not None:
            places.append(OneOf("canonical_domain", tuple(sorted({fold(domain) for domain in domains}))))
        if sources is not None:
            places.append(OneOf("source_id", tuple(sorted({str(source) for source in sources}))))
        if places:
            parts.append(places[0] if len(places) == 1 else disjunction(places))
        if languages is not None:
            parts.append(OneOf("language", tuple(sorted({fold(language) for language in languages}))))
        if indexed_until is not None:
            parts.append(Range("indexed_date", None, max(min(indexed_until, MAX_MOMENT), -1)))
        if ids is not None:
            parts.append(OneOf(STORY, tuple(sorted(set(ids)))))
        return Query(self.source, conjunction(parts))

    def matches(
        self,
        *,
        title: str = "",
        text: str = "",
        url: str = "",
        language: str = "",
        canonical_domain: str = "",
        publication_date: date | str | None = None,
        indexed_date: datetime | int | None = None,
        source_id: int | None = None,
    ) -> bool:
        """Whether the query finds a story with these parts: the answer is the same as that of every index.

        `indexed_date` may be nanoseconds since 1970 or an aware datetime; a publication date may be text, `YYYY-MM-DD`. To test
        one story with many queries, prepare it with `make_subject` and use `matches_subject`.
        """
        return self.matches_subject(
            make_subject(
                title=title,
                text=text,
                url=url,
                language=language,
                canonical_domain=canonical_domain,
                publication_date=publication_date,
                indexed_date=indexed_date,
                source_id=source_id,
            )
        )

    def matches_subject(self, subject: Subject) -> bool:
        """Whether the query finds a story that was prepared by `make_subject`."""
        return tree_matches(self.tree, subject)

    def pattern(self) -> str:
        """The query as an RE2 regular expression, linear in size and time. Raises QueryError when there is none.

        It is exact on `pattern_text(…)`. In raw text it finds the same, except for rare forms of characters.
        """
        return to_pattern(self.tree)

    def pattern_text(self, *, title: str = "", text: str = "") -> str:
        """The text of a story in the form for which `pattern` is exact."""
        return pattern_subject(pattern_field(self.tree), title, text)

    def explain(self) -> str:
        """The query as an English sentence."""
        return explain_tree(self.tree)


def parse_query(text: str) -> Query:
    """Parse a query. Raises QueryError, which points at the character.

    `climate AND (policy OR law*) -title:"cap and trade" publication_date:[2024-01 TO 2024-06]`; `*` is every story.

    >>> import tearsheet
    >>> query = tearsheet.parse_query("climate AND (policy OR law*)")
    >>> query.explain()
    'Stories with “climate” and (with “policy” or a word that begins with “law”).'
    >>> query.matches(title="New laws for the climate", text="The house has voted.")
    True
    """
    return Query(text, parse(text))


EVERYTHING = parse_query("*")
"""Finds every story."""

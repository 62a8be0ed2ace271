"""A question as given in an address or in the form of the search page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from fastapi import Query as Parameter

from tearsheet.app import topic_scope
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import find_collection, members_of, no_collection
from tearsheet.index import DEFAULT_ORDER, ORDERS, Asked, Question, read_question
from tearsheet.web.reach import Reach
from tearsheet.web.site import Site

_ORDERS_TEXT = "; ".join(f"`{name}`: {meaning}" for name, meaning in ORDERS.items()) + "."
LONGEST = 60_000
"""Characters of a parameter: no head of a request can hold many more."""
QueryText = Annotated[
    str, Parameter(max_length=LONGEST, description="A query, as `climate AND (policy OR law*)`; `*` is every story.")
]
FirstDay = Annotated[str, Parameter(max_length=50, description="First day of publication, YYYY-MM-DD.")]
LastDay = Annotated[str, Parameter(max_length=50, description="Last day of publication, YYYY-MM-DD.")]
AsOf = Annotated[
    str,
    Parameter(
        max_length=50,
        description="Only stories indexed up to this moment, as `2026-11-15T08:00:00Z`: repeats a result.",
    ),
]
IN_TOPIC = "Only stories of this topic, by its name, also those that only its spider fetched."
_NAMES = {"sources": "domain", "collections": "collection", "languages": "language"}


@dataclass(slots=True, frozen=True)
class SearchForm:
    """The fields as somebody filled them in, valid or not."""

    q: QueryText = "*"
    start: FirstDay = ""
    end: LastDay = ""
    domain: Annotated[str | None, Parameter(max_length=500, description="Only this source, as `example.com`.")] = None
    collection: Annotated[
        str | None, Parameter(max_length=500, description="Only sources of this collection, by its name or id.")
    ] = None
    language: Annotated[str | None, Parameter(max_length=50, description="Only this language, as `en`.")] = None
    topic: Annotated[str | None, Parameter(max_length=200, description=IN_TOPIC)] = None
    order: Annotated[str, Parameter(max_length=20, description=_ORDERS_TEXT)] = DEFAULT_ORDER
    as_of: AsOf = ""

    def question(self, token: str = "") -> Question:
        """The question. Raises QueryError or UsageError."""
        return read_question(
            self.q,
            start=self.start,
            end=self.end,
            sources=_given(self.domain),
            collections=_given(self.collection),
            languages=_given(self.language),
            topic=self.topic,
            names=_NAMES,
            order=self.order,
            token=token,
            as_of=self.as_of,
        )

    def filled_in(self) -> SearchForm:
        """The fields that a reader filled in: a browser sends the others, too, with nothing in them."""
        return replace(
            self,
            domain=_unless_blank(self.domain),
            collection=_unless_blank(self.collection),
            language=_unless_blank(self.language),
            topic=_unless_blank(self.topic),
        )

    def narrows(self) -> bool:
        """Whether any filter or order is set."""
        return self != SearchForm(q=self.q)


def ask(site: Site, question: Question, reach: Reach | None = None) -> Asked:
    """The question as the index gets it, of what the visitor may see.

    Raises NotFoundError for a collection or a topic that does not exist. One who sees some collections only sees no topic.
    """
    database = site.services.database
    if reach is None:
        return question.ask(partial(members_of, database), partial(topic_scope, site.services))
    if question.topic:
        raise NotFoundError("topics are not for a token for some collections")
    for name in question.collections:
        if not _within(database, name, reach):
            raise no_collection(repr(name))  # the same whether it exists or not, and without the names of others
    return reach.narrow(question.ask(partial(members_of, database), partial(topic_scope, site.services)))


def _within(database: Database, collection: str, reach: Reach) -> bool:
    try:
        return find_collection(database, collection) in reach.collections
    except NotFoundError:
        return False


def _unless_blank(value: str | None) -> str | None:
    return value if value and value.strip() else None


def _given(value: str | None) -> list[str]:
    return [] if value is None else [value]

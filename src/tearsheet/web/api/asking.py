"""The parameters that every search of Media Cloud's API takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query as Parameter

from tearsheet.errors import UsageError
from tearsheet.index import Question, read_question
from tearsheet.web.asking import IN_TOPIC, LONGEST, AsOf, FirstDay, LastDay, QueryText

LARGEST_ID = 2**63 - 1


@dataclass(slots=True, frozen=True)
class SearchParameters:
    """A query, its days, and where to look."""

    q: QueryText = "*"
    start: FirstDay = ""
    end: LastDay = ""
    ss: Annotated[str, Parameter(max_length=LONGEST, description="Ids of sources, with commas.")] = ""
    cs: Annotated[str, Parameter(max_length=LONGEST, description="Ids of collections, with commas.")] = ""
    as_of: AsOf = ""
    topic: Annotated[str | None, Parameter(max_length=200, description=IN_TOPIC)] = None
    platform: Annotated[str, Parameter(max_length=200, description="Taken as it is: there is one platform here.")] = ""

    def question(self) -> Question:
        """The question. Raises QueryError or UsageError."""
        return read_question(
            self.q,
            start=self.start,
            end=self.end,
            source_ids=read_ids(self.ss, "ss"),
            collection_ids=read_ids(self.cs, "cs"),
            as_of=self.as_of,
            topic=self.topic or None,
        )


def read_ids(text: str, name: str) -> list[int]:
    """Ids with commas between them. Raises UsageError."""
    try:
        ids = [int(part) for part in text.split(",") if part.strip()]
        if any(not 0 <= one <= LARGEST_ID for one in ids):
            raise ValueError("no database has such an id")
    except ValueError as error:
        raise UsageError(f"{name}: {text[:100]!r} is no list of ids; write it as 1,2,3") from error
    return ids

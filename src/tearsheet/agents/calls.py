"""Calls of tools: who asks, how far they see, what the tools work with, and how much an answer may have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from tearsheet.agents.budget import Room
from tearsheet.agents.wording import LONGEST_ADDRESS, LONGEST_TITLE, cut
from tearsheet.app import IngestForVisitors, Services
from tearsheet.archive import StoredCapture
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import UsageError
from tearsheet.urls import url_hash
from tearsheet.web import Reach, Site, StoryLine, find_story, read_reach, story_line

_ID_LENGTH = 64
_NOT_ARCHIVED = "none yet: the story is not archived, or only a topic's spider fetched it"


class Arguments(BaseModel):
    """What a tool is asked with. An argument that it does not know is a mistake, and told."""

    model_config = ConfigDict(extra="forbid", str_max_length=4_000)


@dataclass(slots=True, frozen=True)
class Asker:
    """Who asks."""

    who: str
    """Whose budget it is: the name of a token, `local` for this machine without one, `stdio` for whoever started us."""
    program: str = ""
    """What the client calls itself."""
    may_not_write: str = ""
    """Why they may not change anything; empty if they may."""
    collections: tuple[str, ...] | None = None
    """The only collections whose sources they see; None means everything."""


@dataclass(slots=True, frozen=True)
class Shared:
    """What all calls of one server share."""

    site: Site
    ingest: IngestForVisitors

    @property
    def services(self) -> Services:
        """The engines and stores."""
        return self.site.services


@dataclass(slots=True, frozen=True)
class Call:
    """One call of a tool: by whom, and what its answer may have."""

    shared: Shared
    asker: Asker
    room: Room

    @property
    def services(self) -> Services:
        """The engines and stores."""
        return self.shared.services

    def reach(self) -> Reach | None:
        """How far the asker sees; None means everything."""
        names = self.asker.collections
        return None if names is None else read_reach(self.services.database, names)

    def require_everything(self) -> None:
        """Raises UsageError for a token that is for some collections only, where an answer cannot be narrowed to them."""
        if self.asker.collections is not None:
            raise UsageError("this token is for some collections only, and this would show more: use search_stories")

    def story(self, name: str) -> IndexedStory:
        """A story by its id or its address. Raises NotFoundError and BadURL."""
        given = name.strip()
        identifier = given if len(given) == _ID_LENGTH and "/" not in given else url_hash(given)
        return find_story(self.shared.site, identifier, self.reach())


@dataclass(slots=True, frozen=True)
class Answer:
    """What a tool found, and which stories are in it."""

    body: dict[str, Any]
    stories: Sequence[str] = field(default=())


A = TypeVar("A", bound=Arguments)
Work = Callable[[Call, A], Answer]
AsyncWork = Callable[[Call, A], Awaitable[Answer]]


@dataclass(slots=True, frozen=True)
class Tool(Generic[A]):
    """A tool: its name, what it is for, what it is asked with, and what it does, in a thread or on the event loop."""

    name: str
    title: str
    about: str
    arguments: type[A]
    work: Work[A] | None = None
    on_loop: AsyncWork[A] | None = None
    writes: bool = False


def proof_of(capture: StoredCapture | None) -> dict[str, Any]:
    """Where the proof of a story is."""
    if capture is None:
        return {"state": _NOT_ARCHIVED}
    return {
        "state": "archived",
        "file": capture.file.name,
        "offset": capture.offset,
        "length": capture.length,
        "sha256": capture.sha256,
        "captured_at": capture.time.isoformat(),
    }


def proofs_of(services: Services, stories: Sequence[IndexedStory]) -> list[dict[str, Any]]:
    """Where the proof of each story is."""
    return [proof_of(capture) for capture in services.captures.of_stories((one.story_id, one.id) for one in stories)]


def listed(story: IndexedStory, proof: dict[str, Any]) -> dict[str, Any]:
    """A story as it stands in a list."""
    line: StoryLine = story_line(story)
    return {
        "id": line.id,
        "published": line.publication_date,
        "language": line.language,
        "indexed": line.indexed.isoformat(),
        "proof": proof,
        "untrusted": {
            "title": cut(line.title, LONGEST_TITLE),
            "source": cut(line.domain, LONGEST_TITLE),
            "address": cut(line.url, LONGEST_ADDRESS),
            "lead": line.lead,
        },
    }

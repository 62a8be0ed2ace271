"""What a snapshot holds: a topic's stories and links, frozen. All figures are computed from these."""

from __future__ import annotations

from datetime import date

import msgspec


class FrozenStory(msgspec.Struct, frozen=True):
    """A story of a snapshot."""

    id: str
    url: str
    media: str
    title: str
    title_method: str
    day: date | None
    date_method: str
    language: str
    iteration: int
    why: str
    foci: tuple[str, ...] = ()
    facebook_shares: int | None = None


class FrozenPost(msgspec.Struct, frozen=True):
    """A post that named the address of a story."""

    story: int
    """The story's number in `Frozen.stories`."""
    id: str
    author: str
    channel: str
    day: date


class FrozenPage(msgspec.Struct, frozen=True):
    """A page that is no story of the topic, and that stories of several other sources link to."""

    id: str
    url: str
    media: str
    linked_by: tuple[int, ...]
    """Numbers in `Frozen.stories`, sorted; none of them is a story of the page's own source."""


class Frozen(msgspec.Struct, frozen=True):
    """Everything that a snapshot's figures are computed from."""

    topic: str
    query: str
    start: date | None
    end: date | None
    timespans: tuple[tuple[date, date], ...]
    foci: tuple[tuple[str, str], ...]
    stories: tuple[FrozenStory, ...]
    """In order of id."""
    links: tuple[tuple[int, int], ...]
    """From one story to another, by their numbers in `stories`; sorted, without repeats and without links to itself."""
    posts: tuple[FrozenPost, ...] = ()
    """In order of story and id."""
    sentences: tuple[str, ...] = ()
    """The sentence around each of `links`, in their order; empty where it is not known. Earlier snapshots have none at all."""
    pages: tuple[FrozenPage, ...] = ()
    """In order of id."""

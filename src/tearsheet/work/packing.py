"""From a stage's results to wire form, without compressing again a page that did not change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tearsheet.engines.broker import Message
from tearsheet.story import Story, encode_story
from tearsheet.urls import BadURL, host_of
from tearsheet.work.journey import ORIGIN, forwarded


@dataclass(slots=True)
class Packed:
    """A story in wire form. `page` is None when it is still the page that the stage was given."""

    meta: bytes
    page: bytes | None
    key: str

    def as_message(self, origin: Message) -> Message:
        """The message for the next stage."""
        return forwarded(origin, self.meta, origin.page if self.page is None else self.page, self.key)


def pack_results(results: Story | Sequence[Story], page_before: bytes | None) -> list[Packed]:
    """Pack what a stage returned. `page_before` is the page object that the stage was given; None if it was given none."""
    stories = [results] if isinstance(results, Story) else results
    return [pack(story, page_before) for story in stories]


def pack(story: Story, page_before: bytes | None) -> Packed:
    """Pack one story."""
    if story.raw_html.html is page_before:
        return Packed(encode_story(story, page=b"").meta, None, partition_key(story))
    wire = encode_story(story)
    return Packed(wire.meta, wire.page, partition_key(story))


def partition_key(story: Story) -> str:
    """The host, so that all stories of one host go to the same fetcher, which keeps its pace."""
    try:
        return host_of(story.rss_entry.link or story.url or "")
    except BadURL:
        return ""


def new_message(story: Story, origin: str = "") -> Message:
    """The first message of a story's journey, as a queuer sends it; `origin` is where it was read."""
    wire = encode_story(story)
    return Message(wire.meta, {ORIGIN: origin} if origin else {}, partition_key(story), wire.page)

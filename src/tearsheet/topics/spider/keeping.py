"""The pages that a topic takes are archived, like every story, by the archiver of the pipelines.

A page is first stored with its story, in one transaction, with a note of how it was fetched. From there the run hands pages to
the archiver: a file's worth whenever that many have come together, and the rest before the run ends. Only when their file is
closed and registered is the page deleted from the database. So at any moment it is in the one or the other, and after a kill in
between the archiver, which knows what it has, does not write it again.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import replace

from tearsheet.clock import Clock, utc_now
from tearsheet.story import (
    VIA_SPIDER,
    ContentMetadata,
    RawHTML,
    Story,
    WireStory,
    decode_story,
    encode_story,
    make_story_id,
)
from tearsheet.topics.spider.stores.unarchived import (
    UnarchivedPage,
    count_unarchived,
    note_archived,
    note_unfit,
    unarchived_pages,
)
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import WebStory
from tearsheet.work import Kept

log = logging.getLogger(__name__)
_AT_ONCE = 50
"""Pages in memory at a time."""


def spidered_id(stories_id: str) -> str:
    """The id by which the archive knows the page of a story that a spider fetched: one page, however many topics take it."""
    return make_story_id("topics", stories_id)


def note_fetched(fetched: Story, clock: Clock) -> bytes:
    """How a page was fetched, without the page."""
    entry = replace(fetched.rss_entry, via=VIA_SPIDER)
    content = ContentMetadata(parsed_date=utc_now(clock).strftime("%Y-%m-%dT%H:%M:%S.%f"))
    page = RawHTML(None, fetched.raw_html.encoding)
    return encode_story(replace(fetched, rss_entry=entry, raw_html=page, content_metadata=content)).meta


def story_to_archive(page: UnarchivedPage) -> Story:
    """A spidered page in the form that the archive takes."""
    story = decode_story(WireStory(page.fetched))
    story.id = spidered_id(page.story.id)
    story.raw_html.html = page.html
    _describe(story.content_metadata, page.story, story.rss_entry.link)
    return story


def _describe(content: ContentMetadata, story: WebStory, link: str | None) -> None:
    content.original_url, content.url, content.canonical_domain = link, story.url, story.media
    content.article_title, content.text_content = story.title, story.text
    content.language = content.full_language = story.language or None
    content.description = story.description or None
    if story.day is not None:
        content.publication_date, content.publication_date_source = story.day.isoformat(), story.date_method


def archive_pages(tools: Tools, topic_id: int, *, everything: bool) -> int:
    """Archive the pages that a topic took, if they fill a file or `everything` is to be archived now; returns how many are left.

    Some are left when another archiver has just written them: they are looked at again.
    """
    archiver = tools.archiver
    waiting = count_unarchived(tools.database, topic_id) if archiver is not None else 0
    if archiver is None or not waiting or (waiting < tools.pages_in_file and not everything):
        return waiting
    archived: list[str] = []
    unfit: list[str] = []
    by_file: dict[str, list[str]] = defaultdict(list)
    after = ""
    while pages := unarchived_pages(tools.database, topic_id, after, _AT_ONCE):
        after = pages[-1].story.id
        results = archiver.process_batch([story_to_archive(page) for page in pages])
        for page, result in zip(pages, results, strict=True):
            if isinstance(result, Kept):
                by_file[result.place].append(page.story.id)
            else:
                (archived if isinstance(result, Story) else unfit).append(page.story.id)
    archived += [stories_id for name in archiver.finish(everything=True) for stories_id in by_file[name]]
    archiver.given_up()  # what was in these files is still waiting
    note_archived(tools.database, archived)
    note_unfit(tools.database, unfit)
    if unfit:
        log.warning("pages of a topic cannot be archived", extra={"topic": topic_id, "pages": len(unfit)})
    return waiting - len(archived) - len(unfit)

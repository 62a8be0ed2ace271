"""The queuers of the `archive` and `reparse` pipelines: stories out of WARC files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from tearsheet.archive import ArchivedStory, LeftOut, StoryArchiveReader
from tearsheet.counts import how_many
from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable
from tearsheet.story import ContentMetadata, Story

SUFFIXES = (".warc",)


def to_parse_again(story: Story, file: str) -> Story:
    """The story with its page, but without what an earlier parser made of it; its first parsed date is kept."""
    known = story.content_metadata
    story.content_metadata = ContentMetadata(original_url=known.original_url, parsed_date=known.parsed_date)
    story.rss_entry.via = story.rss_entry.via or file
    return story


def read_archive(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """Archived stories with their metadata as it is. Pages of other people's files have none, and are left out."""
    for number, archived in _numbered(stream):
        if isinstance(archived, Problem):
            yield archived
        elif not archived.has_metadata:
            yield Problem(
                number, "no-metadata", f"{archived.uri} was not archived with its metadata; `reparse` takes it"
            )
        elif not archived.story.url:
            yield Problem(number, "no-url", f"the record at byte {archived.offset}")
        else:
            yield Row(number, archived.story)


def read_pages(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """The pages of anyone's WARC file, to be parsed."""
    for number, archived in _numbered(stream):
        if isinstance(archived, Problem):
            yield archived
        elif not archived.story.raw_html.html:
            yield Problem(number, "no-html", f"{archived.uri} has no page")
        else:
            yield Row(number, to_parse_again(archived.story, file))


def _numbered(stream: BinaryIO) -> Iterator[tuple[int, ArchivedStory | Problem]]:
    """The stories with their numbers, and what is none or is damaged as it is met, with the number of the next story.

    Raises Unreadable at the end of a file that is not whole.
    """
    kinds: set[str] = set()
    reader = StoryArchiveReader(stream, watch=lambda record: kinds.add(record.type))
    number = reported = 0
    for entry in reader.entries():
        for damage in reader.damages[reported:]:
            yield number + 1, Problem(number + 1, "damaged", f"at byte {damage.offset}: {damage.what}")
        reported = len(reader.damages)
        if isinstance(entry, LeftOut):
            yield number + 1, Problem(number + 1, entry.reason, entry.detail)
        else:
            number += 1
            yield number, entry
    for damage in reader.damages[reported:]:
        yield number + 1, Problem(number + 1, "damaged", f"at byte {damage.offset}: {damage.what}")
    if not kinds:
        raise Unreadable(1, "incomplete", "there is no record in it")
    if reader.damage_count:
        raise Unreadable(number + 1, "incomplete", f"{how_many(reader.damage_count, 'part')} of it could not be read")

"""The archive: WARC files that others can read, and proof of every page."""

from tearsheet.archive.members import Damage
from tearsheet.archive.reader import ArchivedStory, StoryArchiveReader, read_story_at
from tearsheet.archive.writer import ArchiveFile, Capture, StoryArchiveWriter

__all__ = [
    "ArchiveFile",
    "ArchivedStory",
    "Capture",
    "Damage",
    "StoryArchiveReader",
    "StoryArchiveWriter",
    "read_story_at",
]

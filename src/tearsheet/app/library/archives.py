"""The stories of archive files that a program names."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path

from tearsheet.archive import ArchivedStory, Problem, Walked, walk_paths
from tearsheet.errors import NotFoundError, UsageError

log = logging.getLogger(__name__)


class Archive:
    """The stories of an archive file, or of all in a folder, from front to back. Each iteration reads them again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []
        """What could not be read, after an iteration."""

    def __iter__(self) -> Iterator[ArchivedStory]:
        walked = Walked()
        self.problems = walked.problems
        yield from walk_paths([self.path], walked)
        if not self.problems:
            return
        first = f"{self.problems[0].file}: {self.problems[0].what}"
        if not walked.stories:
            raise UsageError(f"no story of {self.path} can be read: {first}")
        log.warning("%s: %d parts could not be read, the first: %s", self.path, len(self.problems), first)

    def __repr__(self) -> str:
        return f"Archive({str(self.path)!r})"


def read_archive(path: str | PathLike[str]) -> Archive:
    """The stories of a WARC file, packed or not, of a WACZ file, or of all such files in a folder.

    Ours, Media Cloud's and other people's. Of our own, each story comes with everything that is known about it; of others, every
    HTML page that was answered with status 200 is one. What is damaged is passed over and is in `problems` afterwards. Raises
    `NotFoundError` if there is no such file, `UsageError` if nothing in it can be read.

    >>> import tearsheet
    >>> for archived in tearsheet.read_archive("tearsheet-data/archive"):
    ...     print(archived.uri, archived.story.http_metadata.response_code, len(archived.story.raw_html.html))
    ...     break
    https://harbour-herald.example/2026/11/15/story-0 200 1150
    """
    found = Path(fspath(path))
    if not found.exists():
        raise NotFoundError(f"there is no file or folder {found}")
    return Archive(found)

"""The dated page store of a data folder, filled from WARC files and exported to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tearsheet.app.places import check_apart
from tearsheet.app.services import Services
from tearsheet.archive import Problem, StoryArchiveReader, StoryArchiveWriter
from tearsheet.errors import NotFoundError
from tearsheet.pagestore import PageStore, StoredPage, put_story, story_of


def page_store(services: Services, folder: Path | None) -> PageStore:
    """The page store in this folder, or that of the settings when none is given. Raises ConfigError."""
    if folder is None:
        return services.page_store
    check_apart(services.settings, "--store", folder, may_be="pages.folder")
    return PageStore(folder)


def import_pages(target: PageStore, files: Iterable[Path]) -> tuple[int, list[Problem]]:
    """Store the pages of WARC files; returns how many, and which records could not be used. Raises NotFoundError."""
    stored = 0
    bad: list[Problem] = []
    for path in files:
        if not path.is_file():
            raise NotFoundError(f"there is no file {path}")
        with StoryArchiveReader(path) as reader:
            for archived in reader.archived():
                story = archived.story
                if story.raw_html.html and story.url:
                    put_story(target, story)
                    stored += 1
                else:
                    bad.append(Problem(path.name, "neither a page nor an address", archived.offset))
            bad += [Problem(path.name, damage.what, damage.offset) for damage in reader.damages]
        if not path.stat().st_size:
            bad.append(Problem(path.name, "the file is empty", 0))
    return stored, bad


def export_pages(services: Services, pages: Iterable[StoredPage], folder: Path) -> tuple[int, int]:
    """Write pages to WARC files of the size that the settings say; returns how many pages, and in how many files."""
    settings = services.settings.archive
    check_apart(services.settings, "FOLDER", folder)  # what lies in the archive is taken for a file of the archive
    writer: StoryArchiveWriter | None = None
    written, files = 0, 0
    try:
        for page in pages:
            writer = writer or StoryArchiveWriter(folder, prefix="pages", profile=settings.profile)
            writer.write(story_of(page))
            written += 1
            if writer.stories >= settings.max_stories or writer.size >= settings.max_bytes:
                writer.close()
                files, writer = files + 1, None
        if writer is not None:
            writer.close()
            files += 1
    except BaseException:
        if writer is not None:
            writer.abort()
        raise
    return written, files

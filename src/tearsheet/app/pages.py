"""The dated page store of a data folder, filled from WARC files and exported to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tearsheet.app.places import check_apart
from tearsheet.app.services import Services
from tearsheet.archive import ArchivedStory, Erased, Problem, StoryArchiveReader, StoryArchiveWriter
from tearsheet.errors import NotFoundError
from tearsheet.pagestore import PageStore, StoredPage, put_story, story_of


def page_store(services: Services, folder: Path | None) -> PageStore:
    """The page store in this folder, or that of the settings when none is given. Raises ConfigError."""
    if folder is None:
        return services.page_store
    check_apart(services.settings, "--store", folder, may_be="pages.folder")
    return PageStore(folder)


@dataclass(slots=True)
class ImportedPages:
    """What became of the pages of WARC files."""

    stored: int = 0
    erased: int = 0
    """Pages that were erased here, and stay away."""
    bad: list[Problem] = field(default_factory=list)
    """Records that could not be used, and files without any."""


def import_pages(target: PageStore, files: Iterable[Path], erased: Erased) -> ImportedPages:
    """Store the pages of WARC files. Raises NotFoundError."""
    done = ImportedPages()
    for path in files:
        if not path.is_file():
            raise NotFoundError(f"there is no file {path}")
        before = done.stored + done.erased + len(done.bad)
        with StoryArchiveReader(path) as reader:
            for archived in reader.archived():
                _import_page(target, archived, erased, path.name, done)
            done.bad += [Problem(path.name, damage.what, damage.offset) for damage in reader.damages]
        if done.stored + done.erased + len(done.bad) == before:
            done.bad.append(
                Problem(path.name, "there is no page in it" if path.stat().st_size else "the file is empty", 0)
            )
    return done


def _import_page(target: PageStore, archived: ArchivedStory, erased: Erased, name: str, done: ImportedPages) -> None:
    story = archived.story
    if not story.raw_html.html or not story.url:
        done.bad.append(Problem(name, "neither a page nor an address", archived.offset))
    elif erased.of_stories([story])[0]:
        done.erased += 1
    else:
        put_story(target, story)
        done.stored += 1


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

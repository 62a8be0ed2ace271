"""What can be done with many captures: choose them, pack them, check their files, and fill the index from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from tearsheet.app.archive_checks import still_unregistered
from tearsheet.app.services import Services
from tearsheet.archive import (
    ArchivedStory,
    Captures,
    Erased,
    Packed,
    Problem,
    StoredCapture,
    StoredFile,
    Verdict,
    Walked,
    holds_documents,
    index_id_of,
    verify_file,
    walk_paths,
    write_wacz,
)
from tearsheet.chunks import chunks
from tearsheet.engines.index import server_documents
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.index import Rebuilt, fill_index, rebuild_from_stories, story_of_mediacloud
from tearsheet.ingest import is_document
from tearsheet.pipeline.queuers import CannotOpen, InputFile
from tearsheet.query import Query
from tearsheet.story import Story

_PAGE = 200
_NAMED = 5
"""So many missing stories of a topic are named."""
Document = tuple[str, Mapping[str, Any]]
"""A document of an index: its id and its fields."""


@dataclass(slots=True)
class Chosen:
    """Captures that were chosen."""

    captures: list[StoredCapture] = field(default_factory=list)
    missing: int = 0
    """Stories that were asked for but are not archived."""
    about: str = ""
    """The query that chose them."""
    missed: list[str] = field(default_factory=list)
    """The addresses of some of the missing stories."""


def chosen_by_query(services: Services, query: Query, limit: int) -> Chosen:
    """The captures of the stories that match a query."""
    found: list[StoredCapture | None] = []
    token = None
    while len(found) < limit:
        page = services.index.search(query, limit=min(limit - len(found), _PAGE), token=token, text=False)
        found += services.captures.of_stories((story.story_id, story.id) for story in page.stories)
        token = page.next_token
        if token is None:
            break
    return _chosen(found, query.source)


def chosen_by_topic(services: Services, name: str, limit: int) -> Chosen:
    """The captures of a topic's stories, collected or fetched by its spider."""
    from tearsheet.app.topic_evidence import captures_in_topic  # few uses of the archive need topics
    from tearsheet.topics import find_topic, story_ids
    from tearsheet.topics.spider import stories_by_id

    topic = find_topic(services.database, name)
    ids = story_ids(services.database, topic.id)[:limit]
    found = captures_in_topic(services, ids)
    chosen = _chosen(found, topic.query)
    missing = [one for one, capture in zip(ids, found, strict=True) if capture is None]
    chosen.missed = [story.url for story in stories_by_id(services.database, missing[:_NAMED]).values()]
    chosen.captures.sort(key=lambda capture: (capture.time, capture.story_id))
    return chosen


def chosen_by_names(captures: Captures, names: Sequence[str]) -> Chosen:
    """The captures of stories that are named in any way that `Captures.find` understands."""

    def find(name: str) -> StoredCapture | None:
        try:
            return captures.find(name)
        except NotFoundError:
            return None

    return _chosen([find(name) for name in names])


def _chosen(found: Sequence[StoredCapture | None], about: str = "") -> Chosen:
    captures = [capture for capture in found if capture is not None]
    return Chosen(captures, len(found) - len(captures), about)


def pack(
    services: Services,
    target: Path,
    chosen: Chosen,
    title: str,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Packed:
    """Write captures into a WACZ; ingested documents come with their pictures and styles."""
    parts = [part for capture in chosen.captures for part in _parts(services, capture)]
    return write_wacz(
        target,
        chosen.captures,
        services.captures,
        parts=parts,
        title=title,
        description=chosen.about,
        progress=progress,
    )


def _parts(services: Services, capture: StoredCapture) -> list[StoredCapture]:
    """The parts of an ingested document. Other captures have none, and are not looked up."""
    return services.ingest.replay.parts(capture) if holds_documents(capture.file.name) else []


def verify_archive(services: Services) -> Iterator[Verdict]:
    """Re-read every file and say what is wrong; a file that only a store has is read from there.

    A file of the archive folder that is not registered is read, too, and told as wrong: nobody finds its stories.
    """
    for file in services.archive.files():
        verdict = _verify_registered(services, file)
        now = services.archive.file(file.name) if verdict.problems else file
        if now is not None and now != file:  # it was moved to a store, or written anew, while it was read
            verdict = _verify_registered(services, now)
        yield verdict
    for path in still_unregistered(services):
        verdict = verify_file(path)
        verdict.problems.insert(0, Problem(path.name, "is not registered: `tearsheet archive index` does that"))
        yield verdict


def _verify_registered(services: Services, file: StoredFile) -> Verdict:
    archive, copies = services.archive, services.captures.copies
    if file.local or copies.is_here(file):
        return verify_file(file.local_path(copies.folder), file, archive.captures_of_file(file.id))
    try:
        with copies.whole(file) as copy:
            verdict = verify_file(copy, file, archive.captures_of_file(file.id), with_cdxj=False)
    except NotFoundError as error:
        verdict = Verdict(file.name, problems=[Problem(file.name, str(error))])
    verdict.file = file.name
    verdict.problems = [replace(problem, file=file.name) for problem in verdict.problems]
    return verdict


def rebuild_index(services: Services, paths: Sequence[Path], progress: Callable[[int], None]) -> tuple[Rebuilt, Walked]:
    """Index the stories of WARC files and folders, or of the whole archive when none is named.

    `progress` is called now and then with the number of stories read. Raises UsageError for a path that does not exist.
    """
    walked = Walked()
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder {path} to rebuild the index from")
    archived = walk_paths(paths, walked) if paths else services.captures.walk(walked)
    stories = without_erased(_collected(archived, walked), services.erased)
    rebuilt = rebuild_from_stories(
        services.index, stories, lambda so_far: progress(so_far.total + walked.documents + walked.spidered)
    )
    return rebuilt, walked


def _collected(archived: Iterable[ArchivedStory], walked: Walked) -> Iterator[Story]:
    """The stories that belong into the index of what was collected."""
    for one in archived:
        if is_document(one.story):
            walked.documents += 1
        elif one.story.spidered:
            walked.spidered += 1
        else:
            yield one.story


def copy_index(services: Services, url: str, progress: Callable[[int], None]) -> Rebuilt:
    """Copy the stories of an index that Media Cloud's story-indexer filled into ours; nothing is written there."""
    documents = server_documents(url, services.settings.engines.patience_seconds)
    return fill_index(
        services.index,
        _unerased_documents(documents, services.erased),
        story_of_mediacloud,
        lambda so_far: progress(so_far.total),
    )


def _unerased_documents(documents: Iterable[Document], erased: Erased) -> Iterator[Document]:
    """Documents of an index, without those whose addresses were erased here."""
    for batch in chunks(documents, _PAGE):
        keys = [{index_id_of(str(source.get(name) or "")) for name in ("url", "original_url")} for _, source in batch]
        gone = erased.among(key for some in keys for key in some)
        yield from (document for document, some in zip(batch, keys, strict=True) if gone.isdisjoint(some))


def without_erased(stories: Iterable[Story], erased: Erased) -> Iterator[Story]:
    """Stories of files, without those that were erased here."""
    for batch in chunks(stories, _PAGE):
        yield from (story for story, gone in zip(batch, erased.of_stories(batch), strict=True) if not gone)


def moved_inputs(captures: Captures, folder: Path) -> list[InputFile]:
    """The archive files that used to be below a folder and are now only in a store, for a pipeline that reads files."""
    return [
        InputFile(str(path), file.size, partial(_open_moved, captures, file))
        for path, file in captures.moved_from(folder)
    ]


def _open_moved(captures: Captures, file: StoredFile) -> BinaryIO:
    try:
        with captures.copies.whole(file) as path:
            return path.open("rb")  # an open file outlives its name
    except NotFoundError as error:
        raise CannotOpen(str(error)) from error

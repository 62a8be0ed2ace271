"""A data folder, opened for reading: search, counts, stories with their proof, captures, topics."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, overload

from tearsheet.app.asking import ask, index_for, story_by_id
from tearsheet.app.data_folder import has_engine
from tearsheet.app.library.opening import require_collection, settings_of
from tearsheet.app.proofs import CaptureRecord, capture_record, find_capture
from tearsheet.app.services import Services
from tearsheet.archive import ArchivedStory, index_id_of
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.index import Asked, Attention, Question, Total, WordCount, answers, read_question
from tearsheet.settings import Settings

if TYPE_CHECKING:
    from tearsheet.app.library.topics import Topics
    from tearsheet.engines.index import Index

Interval = Literal["day", "week", "month"]
Some = str | Sequence[str]
"""One value, or several."""


@dataclass(slots=True)
class ProvedStory(IndexedStory):
    """A story of the index, and where the page is that proves it."""

    proof: CaptureRecord | None = None
    """None if the page is not archived, or not yet: its WARC file may still be open."""


def open(data: str | PathLike[str] | Settings) -> Collection:
    """Open a data folder for reading; close it, or use it in a `with` block.

    Nothing is made: raises `NotFoundError` when there is no such folder, or nothing of ours in it. Others may write to it
    meanwhile, `tearsheet run` for one. Settings are taken as the command takes them: from the environment, the folder's
    `config.toml`, defaults.

    >>> import tearsheet
    >>> with tearsheet.open("tearsheet-data") as collection:
    ...     collection.count("climate").count
    27
    """
    settings = settings_of(data)
    require_collection(settings)
    return Collection(settings)


class Collection:
    """A data folder, opened by `tearsheet.open`. Any number of threads may use it.

    The filters are those of `tearsheet search`: days as `2026-11-15`, a month, a year or a `date`, both ends included; of several
    sources, collections or languages, a story has to belong to one. A `topic` has its own stories, also those that only its
    spider fetched; without one, only what was collected is searched.
    """

    def __init__(self, settings: Settings) -> None:
        services = Services(settings, begins=False)
        self._services = services
        self._lock = threading.RLock()
        self._closing = weakref.finalize(self, services.__exit__)  # also at the end of a program that does not close it

    def search(
        self,
        query: str,
        *,
        start: str | date = "",
        end: str | date = "",
        sources: Some = (),
        collections: Some = (),
        languages: Some = (),
        topic: str = "",
        as_of: str | datetime = "",
        order: str = "newest",
        limit: int = 0,
        text: bool = True,
    ) -> Iterator[IndexedStory]:
        """The stories that match, however many there are, or the first `limit`; they are read as you go.

        `order` is `newest` or `oldest`, by the day of publication, `relevance`, or `indexed-newest` or `indexed-oldest`, by the
        time they were indexed; `text=False` leaves their text out. Raises
        `QueryError` or `UsageError` for a question that makes no sense, `TooSlow` for one that takes too long.

        >>> collection = tearsheet.open("tearsheet-data")
        >>> stories = collection.search("climate", languages="en", order="oldest", limit=2)
        >>> [(story.publication_date, story.canonical_domain) for story in stories]
        [('2026-10-27', 'morning-gazette.example'), ('2026-10-28', 'harbour-herald.example')]
        """
        question = self._question(query, start, end, sources, collections, languages, topic, as_of, order)
        asked, index = self._asked(question)
        return answers.all_stories(index, asked.query, text=text, order=order, limit=limit)

    @overload
    def count(
        self,
        query: str = "*",
        *,
        by: None = None,
        start: str | date = "",
        end: str | date = "",
        sources: Some = (),
        collections: Some = (),
        languages: Some = (),
        topic: str = "",
        as_of: str | datetime = "",
        limit: int = 20,
    ) -> Total: ...
    @overload
    def count(
        self,
        query: str = "*",
        *,
        by: Interval,
        start: str | date = "",
        end: str | date = "",
        sources: Some = (),
        collections: Some = (),
        languages: Some = (),
        topic: str = "",
        as_of: str | datetime = "",
        limit: int = 20,
    ) -> list[Attention]: ...
    @overload
    def count(
        self,
        query: str = "*",
        *,
        by: Literal["source", "language"],
        start: str | date = "",
        end: str | date = "",
        sources: Some = (),
        collections: Some = (),
        languages: Some = (),
        topic: str = "",
        as_of: str | datetime = "",
        limit: int = 20,
    ) -> list[tuple[str, int]]: ...
    @overload
    def count(
        self, query: str = "*", *, by: Literal["word"], start: str | date = "", end: str | date = "", sources: Some = (),
        collections: Some = (), languages: Some = (), topic: str = "", as_of: str | datetime = "", limit: int = 20,
    ) -> list[WordCount]: ...  # fmt: skip
    def count(
        self,
        query: str = "*",
        *,
        by: Interval | Literal["source", "language", "word"] | None = None,
        start: str | date = "",
        end: str | date = "",
        sources: Some = (),
        collections: Some = (),
        languages: Some = (),
        topic: str = "",
        as_of: str | datetime = "",
        limit: int = 20,
    ) -> Total | list[Attention] | list[tuple[str, int]] | list[WordCount]:
        """How many stories match, out of how many; or the counts by `day`, `week`, `month`, `source`, `language` or `word`.

        Over time, every interval is there, also those without a story, with the number of all stories of the same filters, so
        that each has a `share`. Of sources, languages and words there are the `limit` most frequent.

        >>> collection.count("climate")
        Total(count=27, total=38)
        >>> [(week.date, week.count, week.total) for week in collection.count("climate", by="week", start="2026-11")]
        [('2026-10-26', 1, 1), ('2026-11-02', 6, 10), ('2026-11-09', 16, 22)]
        >>> collection.count(by="language", limit=2)
        [('en', 23), ('de', 6)]
        """
        asked, index = self._asked(self._question(query, start, end, sources, collections, languages, topic, as_of))
        match by:
            case None:
                return answers.count(index, asked.query, asked.everything)
            case "day" | "week" | "month":
                return answers.attention(index, asked.query, by, asked.everything)
            case "source":
                return answers.top_sources(index, asked.query, limit)
            case "language":
                return answers.languages(index, asked.query, limit)
            case "word":
                return answers.words(index, asked.query, limit)
        raise UsageError(f"by: {by!r} is not one of day, week, month, source, language, word")

    def story(self, key: str | IndexedStory) -> ProvedStory:
        """One story with its text and its proof, by its id in the index, its address, or as it was found. Raises `NotFoundError`.

        >>> story = collection.story("https://harbour-herald.example/2026/11/14/story-1")
        >>> story.article_title, story.proof.sha256[:12]
        ('Harbour wall to rise by two metres (harbour-herald)', 'd3d956c7a1e1')
        """
        ids = [key.id] if isinstance(key, IndexedStory) else list(dict.fromkeys(filter(None, (key, index_id_of(key)))))
        index = self._index()
        found = next((story for story in index.get(ids) if story is not None), None)
        if found is None:  # only the spider of a topic may have fetched it
            found = next(filter(None, (story_by_id(self._services, one) for one in ids)), None)
        if found is None:
            raise NotFoundError(
                f"there is no story {ids[0]!r} in {self._services.settings.data}; give its id or its address"
            )
        values = {item.name: getattr(found, item.name) for item in fields(IndexedStory)}
        return ProvedStory(**values, proof=self._proof(found))

    def capture(self, key: str | IndexedStory, *, at: datetime | None = None) -> ArchivedStory:
        """The archived response of a story, read from its WARC file: the page's bytes, its headers and those of the redirects.

        The key is a story, its id, or an address, which may have been captured several times: `at` asks for the capture
        nearest to a time. The bytes are those that were recorded; `NotFoundError` is raised when they are not, or when there
        are none.

        >>> archived = collection.capture("https://harbour-herald.example/2026/11/14/story-1")
        >>> archived.story.raw_html.html[:15], archived.time.date().isoformat()
        (b'<!doctype html>', '2026-11-15')
        """
        services = self._database_services()
        stored = find_capture(services, key) if isinstance(key, IndexedStory) and at is None else None
        if stored is None:
            stored = services.captures.find(key.url if isinstance(key, IndexedStory) else key, at)
        archived = services.captures.read(stored)
        if archived.sha256 != stored.sha256:
            raise NotFoundError(
                f"the page at {stored.offset} of {stored.file.name} is not the one that was recorded; "
                "`tearsheet archive verify` says more"
            )
        return archived

    @property
    def topics(self) -> Topics:
        """The topics by name, each with the tables of its snapshots.

        >>> topic = collection.topics["floods"]
        >>> [(row.media, row.media_inlink_count, row.story_count) for row in topic.media()]
        [('coast.example', 1, 1), ('river.example', 1, 1), ('harbour.example', 0, 1)]
        >>> topic.media_links().to_pandas().columns.tolist()
        ['source_media', 'ref_media', 'link_count']
        """
        from tearsheet.app.library.topics import Topics  # not everybody who searches maps, and it loads numpy

        return Topics(self._database_services().database)

    def close(self) -> None:
        """Close the data folder, and end the processes of its index. Afterwards the collection cannot be used."""
        with self._lock:
            self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<collection {str(self._services.settings.data)!r}{'' if self._closing.alive else ', closed'}>"

    # ------------------------------------------------------------------------------------------------------- inside

    def _question(
        self, query: str, start: str | date, end: str | date, sources: Some, collections: Some, languages: Some,
        topic: str, as_of: str | datetime, order: str = "newest",
    ) -> Question:  # fmt: skip
        return read_question(
            query, start=str(start), end=str(end), sources=_several(sources), collections=_several(collections),
            languages=_several(languages), topic=topic or None, as_of=str(as_of), order=order,
        )  # fmt: skip

    def _asked(self, question: Question) -> tuple[Asked, Index]:
        """The question as the index gets it, and the index that answers it."""
        in_database = question.collections or question.topic
        asked = ask(self._database_services() if in_database else self._services, question)
        if not question.topic:
            return asked, self._index()
        with self._lock:
            index = index_for(self._services, question)
        index.refresh()
        return asked, index

    def _index(self) -> Index:
        """The index, with everything that was added up to now."""
        settings = self._services.settings
        with self._lock:
            self._require_open()
            if not has_engine(settings, "engines.index", settings.engines.index):
                raise NotFoundError(f"there is no index in {settings.data}: no story has been collected there yet")
            index = self._services.index
        index.refresh()
        return index

    def _database_services(self) -> Services:
        """The services, once it is sure that opening the database makes none."""
        settings = self._services.settings
        with self._lock:
            self._require_open()
            if not has_engine(settings, "engines.database", settings.engines.database):
                raise NotFoundError(
                    f"there is no database in {settings.data}: give the folder that `tearsheet run` uses"
                )
            self._services.database  # noqa: B018 - opened by one thread
        return self._services

    def _require_open(self) -> None:
        if not self._closing.alive:
            raise UsageError("this collection is closed: open it again with tearsheet.open")

    def _proof(self, story: IndexedStory) -> CaptureRecord | None:
        services = self._database_services()
        capture = find_capture(services, story)
        return capture_record(services, capture) if capture else None


def _several(values: Some) -> Sequence[str]:
    """Several values, where one may be given by itself."""
    return [values] if isinstance(values, str) else values

"""A question as the index gets it, with the collections that it names looked up in the catalogue of a data folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tearsheet.app.data_folder import has_engine

if TYPE_CHECKING:
    from tearsheet.app.engines import Engines
    from tearsheet.index import Asked, Question


def ask(engines: Engines, question: Question) -> Asked:
    """The question as the index gets it. Raises NotFoundError. The database is opened only to look up collections."""

    def catalogue(
        source_ids: Sequence[int], collections: Sequence[str], collection_ids: Sequence[int]
    ) -> tuple[set[str], set[int]]:
        from tearsheet.feeds.catalogue import members_of  # slow to import, and most questions name no collection

        return members_of(engines.database, source_ids, collections, collection_ids)

    return question.ask(catalogue)


def has_feeds(engines: Engines) -> bool:
    """Whether there are feeds to collect from. No database is made to find out."""
    settings = engines.settings
    if settings.feeds.remote or not has_engine(settings, "engines.database", settings.engines.database):
        return bool(settings.feeds.remote)
    from tearsheet.feeds.catalogue import count_feeds  # slow to import, and asked only of an empty index

    return count_feeds(engines.database) > 0

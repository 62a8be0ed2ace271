"""All feeds with their sources and collections, as the lists that are written for others."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from tearsheet.engines.database import Database
from tearsheet.feeds.catalogue.store import NewFeed
from tearsheet.feeds.tables import collection_sources, collections, feeds, sources


def all_feeds(database: Database) -> list[NewFeed]:
    """Every feed, in order of id, ready to be written or added elsewhere."""
    f = feeds.c
    query = (
        select(
            f.id,
            f.url,
            f.name,
            f.rss_title,
            f.sources_id,
            f.active,
            f.admin_minutes,
            sources.c.name.label("source"),
            sources.c.homepage,
        )
        .select_from(feeds.outerjoin(sources, sources.c.id == f.sources_id))
        .order_by(f.id)
    )
    members = select(collection_sources.c.source_id, collections.c.name).join(
        collections, collections.c.id == collection_sources.c.collection_id
    )
    with database.read() as connection:
        of_source: dict[int, list[str]] = defaultdict(list)
        for row in connection.execute(members.order_by(collections.c.name)):
            of_source[row.source_id].append(row.name)
        return [
            NewFeed(
                url=row.url,
                name=row.name or row.rss_title,
                sources_id=row.sources_id,
                source_name=row.source,
                homepage=row.homepage,
                collections=tuple(of_source.get(row.sources_id, ())),
                id=row.id,
                active=row.active,
                admin_minutes=row.admin_minutes,
            )
            for row in connection.execute(query)
        ]

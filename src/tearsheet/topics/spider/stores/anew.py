"""What a topic that was corrected keeps of its earlier result, so that its next run works it out anew without asking again.

The run starts from the seeds once more. What became of an address and which links are in a page do not depend on the definition of
the topic, so they are kept, set aside until the run reaches them. Which stories belong to the topic and how far they are from
the seeds does depend on it, so all of that is worked out again. What the run did not reach is forgotten at its end.
"""

from __future__ import annotations

from sqlalchemy import Connection, and_, delete, func, or_, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.decisions import included_pages

_INCLUDED = "include"
"""The source of seeds that are pages which people took into the topic."""


def begin_anew(database: Database, topic_id: int) -> None:
    """Set aside all that an earlier run found, and route every seed again: the corrections are seen to. All or nothing."""
    fetches, stories, links = tables.topic_fetch_urls, tables.topic_stories, tables.topic_links
    jobs, topics = tables.topic_jobs, tables.topics
    with database.begin() as connection:
        for table in (tables.topic_sentences, tables.topic_merged_stories_map):
            connection.execute(delete(table).where(table.c.topics_id == topic_id))
        connection.execute(delete(jobs).where(jobs.c.topics_id == topic_id, jobs.c.put_off.is_(False)))
        connection.execute(
            delete(fetches).where(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING)
        )  # each is pending again when it is reached
        connection.execute(update(fetches).where(fetches.c.topics_id == topic_id).values(iteration=model.NOT_REACHED))
        connection.execute(
            update(links).where(links.c.topics_id == topic_id).values(fetched=True, ref_stories_id=None)
        )  # nobody waits for them, and they lead nowhere, until their story is in the topic again
        aside = {"state": model.KNOWN, "iteration": model.NOT_REACHED, "spidered": False, "why": "", "found": None}
        aside |= {"self_linked": False, "assume_match": False, "link_mine_error": None}
        connection.execute(update(stories).where(stories.c.topics_id == topic_id).values(aside))
        _seed_again(database, connection, topic_id)
        connection.execute(update(topics).where(topics.c.id == topic_id).values(corrected=False))


def _seed_again(database: Database, connection: Connection, topic_id: int) -> None:
    """Route every seed again. Pages that people took into the topic are seeds, after all others."""
    seeds = tables.topic_seed_urls
    of_topic = seeds.c.topics_id == topic_id
    connection.execute(delete(seeds).where(of_topic, seeds.c.source == _INCLUDED))
    connection.execute(update(seeds).where(of_topic).values(processed=False))
    last = connection.execute(select(func.max(seeds.c.place)).where(of_topic)).scalar() or 0
    rows = [
        {"topics_id": topic_id, "url_key": page.key, "url": page.subject, "source": _INCLUDED, "assume_match": True,
         "processed": False, "place": place}
        for place, page in enumerate(included_pages(connection, topic_id), start=last + 1)
    ]  # fmt: skip
    if rows:
        connection.execute(database.insert(seeds).on_conflict_do_nothing(), rows)


def forget_unreached(database: Database, topic_id: int) -> None:
    """Forget what an earlier definition of a topic led to and this one does not."""
    fetches, stories, links, jobs = tables.topic_fetch_urls, tables.topic_stories, tables.topic_links, tables.topic_jobs
    of_topic = stories.c.topics_id == topic_id
    members = select(stories.c.stories_id).where(of_topic, stories.c.state.in_((model.IN, model.MERGED)))
    awaited = select(fetches.c.url_key).where(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING)
    to_mine = select(stories.c.stories_id).where(of_topic, stories.c.state == model.IN, stories.c.spidered.is_(False))
    with database.begin() as connection:
        connection.execute(delete(stories).where(of_topic, stories.c.state == model.KNOWN))
        connection.execute(
            delete(fetches).where(fetches.c.topics_id == topic_id, fetches.c.iteration == model.NOT_REACHED)
        )
        connection.execute(delete(links).where(links.c.topics_id == topic_id, links.c.stories_id.not_in(members)))
        connection.execute(
            update(stories).where(of_topic, stories.c.mined, stories.c.state.not_in((model.IN, model.MERGED))).values(mined=False)
        )  # fmt: skip
        gone = or_(
            and_(jobs.c.job == model.FETCH_LINK, jobs.c.item.not_in(awaited)),
            and_(jobs.c.job == model.MINE_STORY, jobs.c.item.not_in(to_mine)),
        )
        connection.execute(delete(jobs).where(jobs.c.topics_id == topic_id, jobs.c.put_off, gone))

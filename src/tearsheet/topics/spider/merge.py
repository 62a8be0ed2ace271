"""Post-processing: duplicate stories are merged, and each merge is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from tearsheet.engines.database import Database
from tearsheet.topics.spider.dedupe import TitledStory, group_duplicates
from tearsheet.topics.spider.stores import merges


@dataclass(slots=True, frozen=True)
class Merges:
    """How many stories count for another source, and how many were merged into another story."""

    moved: int
    merged: int


def merge_topic(database: Database, topic_id: int) -> Merges:
    """Merge the duplicate stories of each source, which has those of the sources merged into it. Doing it again changes nothing."""
    with database.begin() as connection:
        merged = _merge_stories(database, connection, topic_id)
        moved = sum(member.media != member.own_media for member in merges.members(connection, topic_id))
    return Merges(moved, merged)


def _merge_stories(database: Database, connection: Connection, topic_id: int) -> int:
    members = {member.id: member for member in merges.members(connection, topic_id)}
    titled = [TitledStory(member.id, member.media, member.day, member.title) for member in members.values()]
    merged = 0
    for group in group_duplicates(titled):
        # The story with the longest text is kept; of equals, the first by id.
        lengths = merges.text_lengths(connection, group)
        keep = min(group, key=lambda id: (-lengths[id], id))
        for lose in group:
            if lose != keep:
                reason = f"same title: {members[lose].title[:300]}"
                merges.merge_story(database, connection, topic_id, lose, keep, reason)
                merged += 1
        merges.set_iteration(connection, topic_id, keep, min(members[id].iteration for id in group))
    return merged

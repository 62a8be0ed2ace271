"""Corrections of topics that need more than the topic's own tables: the index for seeds, two snapshots side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tearsheet.app.services import Services
from tearsheet.topics import Edited, NewTopic, Seed, Topic, edit_topic
from tearsheet.topics.snapshot import Change, changes_between, load_snapshot
from tearsheet.topics.spider import index_seeds


def edit_definition(services: Services, topic: Topic, changes: Mapping[str, Any], reason: str) -> Edited:
    """Change a topic's definition. Seeds that came from the index are asked for again, as the index is now."""

    def ask_index(new: NewTopic) -> list[Seed]:
        return list(index_seeds(services.database, services.index, new))

    return edit_topic(services.database, topic, changes, reason, ask_index)


def compare_snapshots(services: Services, topic: Topic, first: int, second: int) -> list[Change]:
    """What changed from one snapshot of a topic to another. Raises NotFoundError."""
    before, after = (load_snapshot(services.database, topic, number) for number in (first, second))
    return changes_between(before, after)

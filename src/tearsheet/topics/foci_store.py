"""Foci in the database: defined and removed at any time. Each change is kept as a decision, with its time and reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from sqlalchemy import select, update

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import members_of
from tearsheet.near_names import did_you_mean
from tearsheet.topics import tables
from tearsheet.topics.decisions import EDIT, Decision, record
from tearsheet.topics.definition import check_definition
from tearsheet.topics.foci import Focus, foci_text, of_set, read_foci
from tearsheet.topics.model import NewTopic, Topic

Foci = Mapping[str, Focus]


def add_foci(database: Database, topic: Topic, added: Foci, reason: str = "") -> None:
    """Give a topic more foci, all or none.

    Raises UsageError for a name that is taken or makes no sense, QueryError for a query that cannot be parsed, NotFoundError for a
    collection that does not exist.
    """
    for focus in added.values():
        members_of(database, collections=focus.collections)

    def more(known: Foci) -> Foci:
        for name in sorted(set(known) & set(added)):
            raise UsageError(f"there is a focus {name!r} already; remove it first, or choose another name")
        same = {one.name: getattr(topic, one.name) for one in fields(NewTopic)}
        check_definition(NewTopic(**same | {"foci": {**known, **added}}))
        return {**known, **added}

    _change(database, topic, more, reason)


def remove_foci(database: Database, topic: Topic, name: str, reason: str = "") -> list[str]:
    """Remove a focus, or all of a set; returns their names. Raises NotFoundError."""
    gone: list[str] = []

    def fewer(known: Foci) -> Foci:
        gone[:] = [name] if name in known else of_set(known, name) if name else []
        if not gone:
            hint = did_you_mean(name, known, "`tearsheet topic focus list` shows them")
            raise NotFoundError(f"the topic {topic.name!r} has no focus {name!r}; {hint}")
        return {kept: focus for kept, focus in known.items() if kept not in gone}

    _change(database, topic, fewer, reason)
    return gone


def _change(database: Database, topic: Topic, change: Callable[[Foci], Foci], reason: str) -> None:
    """Change the foci of a topic as they are at this moment, so that two changes at once are both made."""
    known = tables.topics.c
    with database.begin() as connection:
        stored = connection.execute(select(known.foci).where(known.id == topic.id).with_for_update()).scalar_one()
        before = read_foci(stored)
        after = change(before)
        connection.execute(update(tables.topics).where(known.id == topic.id).values(foci=foci_text(after)))
        for name in sorted(before.keys() ^ after.keys()):
            told = f"{_told(before, name)} → {_told(after, name)}"
            record(database, connection, topic.id, Decision(EDIT, f"focus {name}", reason, utc_now(), told))


def _told(foci: Foci, name: str) -> str:
    return foci[name].describe() if name in foci else "none"

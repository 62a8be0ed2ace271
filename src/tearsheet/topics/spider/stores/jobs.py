"""Who holds what. The other tables say what is to be done; this one says what was offered, and who took it.

An item is offered once in a run. Only one worker can take what the current run has offered; it holds the item for a limited time,
and renews the hold as long as it lives. What a dead worker held is free again when the hold runs out, and a queue that loses or
repeats a message changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, and_, delete, exists, or_, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import tables

Wanted = Callable[[int], Select[tuple[str]]]
"""Given a topic's id, the query that finds the items of a job."""


@dataclass(slots=True, frozen=True)
class Taken:
    """An item that a worker holds."""

    topic_id: int
    job: str
    item: str
    """The key of an address, or the id of a story."""
    tries: int = 0
    """How often it failed before."""
    turn: float = 0.0
    """When its source may be fetched from, if it was waiting for that; otherwise 0."""


def offer(
    database: Database, topic_id: int, job: str, wanted: Wanted, *, run: str, now: float, limit: int
) -> list[str]:
    """Offer the wanted items that nobody holds and this run has not offered yet. Returns them, in order."""
    jobs = tables.topic_jobs
    items = wanted(topic_id).subquery()
    same = and_(jobs.c.topics_id == topic_id, jobs.c.job == job, jobs.c.item == items.c.item)
    free = or_(jobs.c.item.is_(None), and_(jobs.c.run != run, jobs.c.held_until <= now, jobs.c.put_off.is_(False)))
    query = select(items.c.item).select_from(items.outerjoin(jobs, same)).where(free).order_by(items.c.item)
    with database.begin() as connection:
        found = list(connection.execute(query.limit(limit)).scalars())
        rows = [
            {"topics_id": topic_id, "job": job, "item": item, "run": run, "holder": "", "held_until": 0.0, "tries": 0,
             "turn": 0.0}
            for item in found
        ]  # fmt: skip
        if rows:
            again = database.insert(jobs).on_conflict_do_update(
                index_elements=["topics_id", "job", "item"],
                set_={"run": run, "holder": ""},
                where=jobs.c.held_until <= now,
            )
            connection.execute(again, rows)
    return found


def take(
    database: Database, topic_id: int, job: str, item: str, *, run: str, holder: str, until: float
) -> Taken | None:
    """Take an item that this run offered; None if another worker has taken it, or a later run has offered it again."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        row = connection.execute(
            update(jobs)
            .where(_is(topic_id, job, item), jobs.c.run == run)
            .values(run="", holder=holder, held_until=until)
            .returning(jobs.c.tries, jobs.c.turn)
        ).one_or_none()
    return Taken(topic_id, job, item, row.tries, row.turn) if row else None


def put_back(
    database: Database, taken: Taken, holder: str, *, until: float, tries: int, turn: float, put_off: bool = False
) -> None:
    """Release an item, which may be offered again from `until` on; one that is put off, once it has been taken up again."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        connection.execute(
            update(jobs)
            .where(_is(taken.topic_id, taken.job, taken.item), jobs.c.holder == holder)
            .values(holder="", held_until=until, tries=tries, turn=turn, put_off=put_off)
        )


def take_up_again(database: Database, topic_id: int, until: float) -> bool:
    """Let what was put off and is due by then be offered again. Returns whether there is any."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        due = update(jobs).where(jobs.c.topics_id == topic_id, jobs.c.put_off, jobs.c.held_until <= until)
        return bool(connection.execute(due.values(put_off=False)).rowcount)


def is_any_held(database: Database, topic_id: int, now: float) -> bool:
    """Whether a worker holds an item of a topic, and so may still write what became of it."""
    jobs = tables.topic_jobs
    held = exists().where(jobs.c.topics_id == topic_id, jobs.c.holder != "", jobs.c.held_until > now)
    with database.read() as connection:
        return bool(connection.execute(select(held)).scalar())


def void_turns(database: Database, topic_id: int, now: float) -> None:
    """Void the turns that have passed: what waited for them is offered at once now, and must not be fetched at once."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        passed = update(jobs).where(jobs.c.topics_id == topic_id, jobs.c.turn > 0, jobs.c.turn <= now)
        connection.execute(passed.values(turn=0.0))


def finish(database: Database, taken: Taken, holder: str) -> None:
    """Forget an item that is done."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        connection.execute(delete(jobs).where(_is(taken.topic_id, taken.job, taken.item), jobs.c.holder == holder))


def renew(database: Database, holder: str, until: float) -> None:
    """Extend the hold on everything held."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        connection.execute(update(jobs).where(jobs.c.holder == holder).values(held_until=until))


def release_all(database: Database, holder: str) -> None:
    """Release everything held, at a clean stop: it may be offered again immediately."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        connection.execute(update(jobs).where(jobs.c.holder == holder).values(holder="", held_until=0.0))


def forget(database: Database, topic_id: int) -> None:
    """Forget all offers of a topic that has nothing left to do, but not what was put off: the next run tries it again."""
    jobs = tables.topic_jobs
    with database.begin() as connection:
        connection.execute(delete(jobs).where(jobs.c.topics_id == topic_id, jobs.c.put_off.is_(False)))


def _is(topic_id: int, job: str, item: str) -> ColumnElement[bool]:
    jobs = tables.topic_jobs
    return and_(jobs.c.topics_id == topic_id, jobs.c.job == job, jobs.c.item == item)

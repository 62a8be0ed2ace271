"""The transactions of the ledger: recording outcomes together with their sums, and forgetting old rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, and_, bindparam, delete, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.errors import BusyError
from tearsheet.work.ledger_changes import Changes, Key, Row, changes
from tearsheet.work.ledger_tables import earlier_outcomes, outcome_days, outcome_totals, outcomes

"""Stories that are looked up by one statement."""
_TRIES = 10

_KEPT = [column.name for column in earlier_outcomes.c if column.name != "id"]
_PRESENT = select(*(outcomes.c[name] for name in (*_KEPT, "source_id", "feed_id", "domain")))
_PRESENT = _PRESENT.where(outcomes.c.story_id.in_(bindparam("ids", expanding=True)))
_PRESENT = _PRESENT.order_by(outcomes.c.story_id, outcomes.c.stage).with_for_update()


class Overtaken(BusyError):
    """Another process recorded the same story at the same stage at this moment: the transaction is to be made again."""


class LedgerWriter:
    """The statements that write, built once: building one takes longer than running it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        insert = database.insert(outcomes)
        keys = ["story_id", "stage"]
        # Without the option, SQLAlchemy does not say on PostgreSQL how many rows an INSERT added.
        self._add = insert.on_conflict_do_nothing(index_elements=keys).execution_options(preserve_rowcount=True)
        changed = {column.name: insert.excluded[column.name] for column in outcomes.c if not column.primary_key}
        self._replace = insert.on_conflict_do_update(index_elements=keys, set_=changed)
        self._keep = earlier_outcomes.insert()
        self._move_days = _adding(database, outcome_days, "stories")
        self._drop_empty = delete(outcome_days).where(
            *(column == bindparam(f"k_{column.name}") for column in outcome_days.primary_key),
            outcome_days.c.stories <= 0,
        )
        self._move_totals = _adding(database, outcome_totals, "stories", "recorded")

    def record(self, rows: Mapping[Key, Row]) -> None:
        """Write rows and move the sums, in one transaction."""
        for tries in range(1, _TRIES + 1):
            try:
                with self._database.begin() as db:
                    self._write(db, changes(rows, _present(db, rows)))
                    return
            except Overtaken:
                if tries == _TRIES:
                    raise

    def forget(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` rows that are older, of each kind, and leave the sums. Returns how many stories' rows."""
        old = select(outcomes.c.story_id, outcomes.c.stage).where(outcomes.c.happened_at < before)
        earlier = select(earlier_outcomes.c.id).where(earlier_outcomes.c.happened_at < before)
        with self._database.begin() as db:
            # What others hold just now is left for the next time: it is about to change.
            keys = db.execute(old.limit(limit).with_for_update(skip_locked=True)).all()
            ids = db.execute(earlier.limit(limit).with_for_update(skip_locked=True)).all()
            _delete_each(db, outcomes, ("story_id", "stage"), keys)
            _delete_each(db, earlier_outcomes, ("id",), ids)
            return len(keys)

    def blank(self, story_ids: Iterable[str], urls: Iterable[str]) -> None:
        """Leave no address and no detail in the rows of these stories, nor in those with these addresses or links."""
        by_address = [
            outcomes.c.url.in_(bindparam("some", expanding=True)),
            outcomes.c.link.in_(bindparam("some", expanding=True)),
        ]
        with self._database.begin() as db:
            ids = set(story_ids)
            for some in chunks(urls):
                for condition in by_address:
                    ids.update(db.execute(select(outcomes.c.story_id).where(condition), {"some": some}).scalars())
            for some in chunks(sorted(ids)):
                db.execute(update(outcomes).where(outcomes.c.story_id.in_(some)).values(url="", link="", detail=""))
                db.execute(update(earlier_outcomes).where(earlier_outcomes.c.story_id.in_(some)).values(detail=""))

    def _write(self, db: Connection, found: Changes) -> None:
        # On PostgreSQL another process can record a story after we looked it up; its transaction ended before this one goes on.
        if found.new and db.execute(self._add, found.new).rowcount != len(found.new):
            raise Overtaken("other processes record the same stories again and again; are they given out twice?")
        if found.earlier:
            db.execute(self._keep, [{name: row[name] for name in _KEPT} for row in found.earlier])
        if found.replaced:
            db.execute(self._replace, found.replaced)
        names = [column.name for column in outcome_days.primary_key]
        moved = sorted((key, change) for key, change in found.days.items() if change)
        if moved:
            db.execute(self._move_days, [dict(zip(names, key, strict=True), stories=change) for key, change in moved])
        emptied = [key for key, change in moved if change < 0]
        if emptied:
            db.execute(
                self._drop_empty,
                [{f"k_{name}": value for name, value in zip(names, key, strict=True)} for key in emptied],
            )
        self._write_totals(db, found)

    def _write_totals(self, db: Connection, found: Changes) -> None:
        totals = [
            {
                "stage": stage,
                "status": status,
                "reason": reason,
                "stories": found.stories[stage, status, reason],
                "recorded": found.recorded[stage, status, reason],
            }
            for stage, status, reason in sorted(found.stories.keys())
        ]
        db.execute(self._move_totals, totals)


def _present(db: Connection, rows: Mapping[Key, Row]) -> dict[Key, Mapping[str, Any]]:
    """What the ledger has about these stories and stages, locked until the transaction ends."""
    ids = list(dict.fromkeys(story_id for story_id, _ in rows))
    found: dict[Key, Mapping[str, Any]] = {}
    for some in chunks(ids):
        for row in db.execute(_PRESENT, {"ids": some}).mappings():
            key = row["story_id"], row["stage"]
            if key in rows:
                found[key] = dict(row)
    return found


def _adding(database: Database, table: Table, *sums: str) -> Any:
    """An INSERT that adds to the sums of a row that is there."""
    insert = database.insert(table)
    more = {name: table.c[name] + insert.excluded[name] for name in sums}
    return insert.on_conflict_do_update(index_elements=[column.name for column in table.primary_key], set_=more)


def _delete_each(db: Connection, table: Table, names: Sequence[str], keys: Iterable[Sequence[Any]]) -> None:
    rows = [{f"k_{name}": value for name, value in zip(names, key, strict=True)} for key in keys]
    if rows:
        db.execute(delete(table).where(and_(*(table.c[name] == bindparam(f"k_{name}") for name in names))), rows)

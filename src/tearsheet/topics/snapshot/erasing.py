"""Erased stories lose their titles and addresses in snapshots.

A snapshot keeps the place of an erased story, so that its figures stay what they were; only what the story was called, where it
was, why it was taken, and the sentences around links from and to it are gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

import msgspec
import zstandard
from sqlalchemy import select, update

from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.snapshot.frozen import Frozen

ERASED_TITLE = "(erased)"


def erase_from_snapshots(database: Database, keys: Collection[str], *, dry_run: bool = False) -> int:
    """Take titles and addresses of stories out of all snapshots; returns how many snapshots name one."""
    wanted, count = set(keys), 0
    for number, frozen in _snapshots(database):
        named = _names(frozen, wanted)
        count += named
        if named and not dry_run:
            _save(database, number, _without(frozen, wanted))
    return count


def topics_with(database: Database, keys: Collection[str]) -> set[str]:
    """The names of the topics of which a snapshot still names one of these stories."""
    wanted = set(keys)
    return {frozen.topic for _, frozen in _snapshots(database) if _names(frozen, wanted)}


def _names(frozen: Frozen, keys: Collection[str]) -> bool:
    """Whether a snapshot still says what one of these stories was called, or where it was."""
    return any(story.id in keys and story.title != ERASED_TITLE for story in frozen.stories) or any(
        page.id in keys and page.url for page in frozen.pages
    )


def _without(frozen: Frozen, keys: Collection[str]) -> Frozen:
    stories = tuple(
        msgspec.structs.replace(story, url="", title=ERASED_TITLE, why="") if story.id in keys else story
        for story in frozen.stories
    )
    gone = {number for number, story in enumerate(frozen.stories) if story.id in keys}
    sentences = tuple(
        "" if a in gone or b in gone else sentence
        for (a, b), sentence in zip(frozen.links, frozen.sentences or [""] * len(frozen.links), strict=True)
    )
    pages = tuple(msgspec.structs.replace(page, url="") if page.id in keys else page for page in frozen.pages)
    return msgspec.structs.replace(
        frozen, stories=stories, sentences=sentences if frozen.sentences else (), pages=pages
    )


def _snapshots(database: Database) -> Iterator[tuple[int, Frozen]]:
    snapshots = tables.topic_snapshots
    with database.read() as connection:
        numbers = list(connection.execute(select(snapshots.c.id).order_by(snapshots.c.id)).scalars())
    for number in numbers:
        with database.read() as connection:
            data = connection.execute(select(snapshots.c.inputs).where(snapshots.c.id == number)).scalar()
        if data is not None:
            yield number, msgspec.json.decode(zstandard.decompress(data), type=Frozen)


def _save(database: Database, number: int, frozen: Frozen) -> None:
    data = msgspec.json.encode(frozen)
    values = {"inputs": zstandard.compress(data, 3), "digest": hashlib.sha256(data).hexdigest()}
    snapshots = tables.topic_snapshots
    with database.begin() as connection:
        connection.execute(update(snapshots).where(snapshots.c.id == number).values(values))

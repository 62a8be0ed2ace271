"""The tokens of a data folder. Only a token's hash is stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import JSON, Column, Integer, RowMapping, String, Table, delete, select, update

from tearsheet.app.tokens import READ, RIGHTS, Token
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import find_collection, list_collections
from tearsheet.near_names import did_you_mean

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("rights", String(10), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime),
    Column("expires_at", UtcDateTime),
    Column("collections", JSON(none_as_null=True)),
)
_PREFIX = "tear_"
"""Lets a leaked token be recognised as one."""
_LAST_USE_PRECISION = timedelta(minutes=1)
"""How precisely the last use is recorded: one write per minute, not one per request."""


class TokenStore:
    """The tokens of a data folder."""

    def __init__(self, database: Database, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    def create(
        self,
        name: str,
        rights: str = READ,
        *,
        expires_at: datetime | None = None,
        collections: Iterable[str] | None = None,
    ) -> str:
        """Create a token and return it: it cannot be shown again. Raises UsageError, and NotFoundError for a collection."""
        if rights not in RIGHTS:
            raise UsageError(f"{rights!r} is not a right; choose {' or '.join(RIGHTS)}")
        if not name.strip() or len(name) > 200:
            raise UsageError("a token needs a name of at most 200 characters, so that it can be revoked by it")
        secret = _PREFIX + secrets.token_urlsafe(32)
        row = {
            "name": name.strip(),
            "digest": _digest(secret),
            "rights": rights,
            "created_at": utc_now(self._clock),
            "expires_at": expires_at,
            "collections": None if collections is None else _existing(self._database, collections),
        }
        with self._database.begin() as connection:
            insert = self._database.insert(tokens).values(row).on_conflict_do_nothing(index_elements=["name"])
            if connection.execute(insert).rowcount != 1:
                raise UsageError(f"there is already a token {name!r}: revoke it first, or choose another name")
        return secret

    def find(self, secret: str) -> Token | None:
        """The token with this secret, expired or not, or None."""
        with self._database.read() as connection:
            row = connection.execute(select(tokens).where(tokens.c.digest == _digest(secret))).mappings().first()
        if row is None:
            return None
        found = _token(row)
        now = utc_now(self._clock)
        if found.has_expired(now):
            return found
        if found.last_used_at is None or now - found.last_used_at >= _LAST_USE_PRECISION:
            with self._database.begin() as connection:
                connection.execute(update(tokens).where(tokens.c.id == found.id).values(last_used_at=now))
        return found

    def list(self) -> list[Token]:
        """Every token, oldest first."""
        with self._database.read() as connection:
            return [_token(row) for row in connection.execute(select(tokens).order_by(tokens.c.id)).mappings()]

    def revoke(self, name: str) -> None:
        """Delete a token; it stops working at once. Raises NotFoundError."""
        with self._database.begin() as connection:
            if connection.execute(delete(tokens).where(tokens.c.name == name)).rowcount != 1:
                names = connection.execute(select(tokens.c.name).order_by(tokens.c.id)).scalars().all()
                hint = did_you_mean(name, names, "`tearsheet token list` shows them all")
                raise NotFoundError(f"there is no token {name!r}; {hint}")


def _digest(secret: str) -> str:
    # A fast hash is right here: a secret of 256 random bits cannot be guessed, so there is nothing to slow down.
    return hashlib.sha256(secret.encode()).hexdigest()


def _token(row: RowMapping) -> Token:
    values = {name: row[name] for name in Token.__slots__}
    return Token(**values | {"collections": None if row["collections"] is None else tuple(row["collections"])})


def _existing(database: Database, collections: Iterable[str]) -> list[str]:
    """The names of these collections, each of which is given by name or id. Raises NotFoundError."""
    ids = {find_collection(database, given) for given in collections}
    return sorted(found.name for found in list_collections(database, ids=ids, limit=len(ids)).rows)

"""Feeds have folders and logins of their own, directories that they come from, and sums of what their polls brought.

A user and password that stood in the address of a feed go into a table of their own. What used to come out as the folders of
a feed, the collections of its source, becomes its folders.
"""

from urllib.parse import unquote, urlsplit

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables and columns, and move what was elsewhere."""
    for column in (
        sa.Column("folders", sa.Text),
        sa.Column("homepage", sa.Text),
        sa.Column("user_agent", sa.Text),
        sa.Column("ignore_validators", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("directory", sa.String(500)),
        sa.Column("modified_at", UtcDateTime),
    ):
        op.add_column("feeds", column)
    op.create_table(
        "feed_secrets",
        sa.Column("feed_id", _ID, primary_key=True, autoincrement=False),
        sa.Column("origin", sa.String(300), nullable=False),
        sa.Column("username", sa.Text),
        sa.Column("password", sa.Text),
        sa.Column("token", sa.Text),
        sa.Column("cookie", sa.Text),
        sa.Column("headers", sa.Text),
    )
    op.create_table(
        "feed_directories",
        sa.Column("name", sa.String(500), primary_key=True),
        sa.Column("synced_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "feed_sums",
        sa.Column("what", sa.String(20), primary_key=True),
        sa.Column("reason", sa.String(100), primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "feed_id_marks",
        sa.Column("kind", sa.String(20), primary_key=True),
        sa.Column("highest", sa.BigInteger, nullable=False),
    )
    connection = op.get_bind()
    _mark_ids(connection)
    _move_logins(connection)
    _name_folders(connection)
    op.execute("UPDATE feeds SET homepage = (SELECT sources.homepage FROM sources WHERE sources.id = feeds.sources_id)")


def _mark_ids(connection: sa.Connection) -> None:
    """Sources that were removed before live on in the stories of their feeds."""
    stories = sa.table("stories", sa.column("sources_id"))
    highest = connection.execute(sa.select(sa.func.max(stories.c.sources_id))).scalar()
    if highest is not None:
        marks = sa.table("feed_id_marks", sa.column("kind"), sa.column("highest"))
        connection.execute(sa.insert(marks).values(kind="sources", highest=highest))


def _move_logins(connection: sa.Connection) -> None:
    feeds = sa.table("feeds", sa.column("id"), sa.column("url"))
    names = ("feed_id", "origin", "username", "password")
    secrets = sa.table("feed_secrets", *(sa.column(name) for name in names))
    for row in connection.execute(sa.select(feeds).where(feeds.c.url.contains("@"))).all():
        try:
            parts = urlsplit(row.url)
            login, at, place = parts.netloc.rpartition("@")
            port = parts.port
        except ValueError:
            continue
        if not at or not parts.hostname:
            continue
        user, _, password = login.partition(":")
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        origin = f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, usual) else "")
        bare = parts._replace(netloc=place).geturl()
        connection.execute(sa.update(feeds).where(feeds.c.id == row.id).values(url=bare))
        if user or password:
            values = dict(zip(names, (row.id, origin, unquote(user), unquote(password)), strict=True))
            connection.execute(sa.insert(secrets).values(values))


def _name_folders(connection: sa.Connection) -> None:
    feeds = sa.table("feeds", sa.column("id"), sa.column("sources_id"), sa.column("folders"))
    members = sa.table("collection_sources", sa.column("collection_id"), sa.column("source_id"))
    collections = sa.table("collections", sa.column("id"), sa.column("name"))
    query = sa.select(members.c.source_id, collections.c.name).join(
        collections, collections.c.id == members.c.collection_id
    )
    of_source: dict[int, list[str]] = {}
    # Sorted here, because each server sorts names by the language that it was set up for.
    for row in sorted(connection.execute(query), key=lambda row: row.name):
        of_source.setdefault(row.source_id, []).append(_folder_text(row.name))
    for source, names in of_source.items():
        connection.execute(sa.update(feeds).where(feeds.c.sources_id == source).values(folders=";".join(names)))


def _folder_text(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace(";", "\\;")
    return "/".join(part.replace("/", "\\/") for part in escaped.split(" / "))

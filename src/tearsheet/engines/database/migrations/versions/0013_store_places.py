"""Stores that copies go to are known by their places, and each has an id that stands in the store, too.

A folder used to be known as its setting was written: `file:///copies` in the data folder, `file:////mnt/disk` outside it. Now it
is known by its path, `copies` or `/mnt/disk`, which says where the copies are whatever the settings say later.
"""

from pathlib import PurePosixPath

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_FOLDER = "file:///"


def upgrade() -> None:
    """Create the table of stores, and name the copies that were made by where they are."""
    op.create_table(
        "archive_stores",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
    )
    uploads = sa.table("archive_uploads", sa.column("file_id"), sa.column("store"))
    connection = op.get_bind()
    query = sa.select(uploads.c.store).distinct().where(uploads.c.store.startswith(_FOLDER))
    for old in connection.execute(query).scalars().all():
        new = str(PurePosixPath(old.removeprefix(_FOLDER)))
        known = sa.select(uploads.c.file_id).where(uploads.c.store == new)
        renamed = sa.update(uploads).where(uploads.c.store == old, uploads.c.file_id.not_in(known))
        connection.execute(renamed.values(store=new))
        connection.execute(sa.delete(uploads).where(uploads.c.store == old))

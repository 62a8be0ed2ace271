"""HTML ingest: what became of each request, the documents as files, their captures, and what they say."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "ingest_file_result",
        sa.Column("ingest_type", sa.String(20), primary_key=True),
        sa.Column("base_url", sa.Text, primary_key=True),
        sa.Column("updated", UtcDateTime, nullable=False),
        sa.Column("hit", sa.Boolean, nullable=False),
        sa.Column("status", sa.String(100), nullable=False, index=True),
        sa.Column("terminal_url", sa.Text),
        sa.Column("terminal_dt", sa.String(14)),
        sa.Column("terminal_status_code", sa.Integer),
        sa.Column("terminal_sha1hex", sa.String(40), index=True),
    )
    op.create_table(
        "file_meta",
        sa.Column("sha1hex", sa.String(40), primary_key=True),
        sa.Column("sha256hex", sa.String(64), nullable=False),
        sa.Column("md5hex", sa.String(32), nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("mimetype", sa.String(200), nullable=False),
    )
    op.create_table(
        "cdx",
        sa.Column("url", sa.Text, primary_key=True),
        sa.Column("datetime", sa.String(14), primary_key=True),
        sa.Column("surt", sa.Text, nullable=False),
        sa.Column("sha1hex", sa.String(40), nullable=False, index=True),
        sa.Column("mimetype", sa.String(200), nullable=False),
        sa.Column("status_code", sa.Integer, nullable=False),
        sa.Column("warc_path", sa.Text),
        sa.Column("warc_csize", sa.BigInteger),
        sa.Column("warc_offset", sa.BigInteger),
        sa.Column("row_created", UtcDateTime, nullable=False),
        sa.Column("hide", sa.Boolean, nullable=False),
    )
    op.create_index("cdx_surt", "cdx", ["surt", "datetime"])
    op.create_table(
        "html_meta",
        sa.Column("sha1hex", sa.String(40), primary_key=True),
        sa.Column("updated", UtcDateTime, nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("scope", sa.String(40)),
        sa.Column("has_teixml", sa.Boolean, nullable=False),
        sa.Column("has_thumbnail", sa.Boolean, nullable=False),
        sa.Column("word_count", sa.Integer),
        sa.Column("biblio", sa.JSON),
        sa.Column("resources", sa.JSON),
    )

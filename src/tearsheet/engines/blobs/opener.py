"""Which blob store a URL names, whether it comes from the setting `engines.blobs` or from a command's argument."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tearsheet.engines.blobs.folder import open_folder_blobs
from tearsheet.engines.blobs.port import Blobs
from tearsheet.engines.blobs.s3 import open_s3_blobs
from tearsheet.engines.location import engine_of
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import UsageError
from tearsheet.masking import masked

_ENGINES = "file:///FOLDER s3://KEY:SECRET@HOST:PORT/BUCKET"
_AMAZON = "s3://s3.amazonaws.com"
IN_STORE = "blob:"
"""The prefix of a key in the store of the setting `engines.blobs`."""


def open_blobs(url: str, data: Path, *, patience: float = PATIENCE_SECONDS, setting: str = "engines.blobs") -> Blobs:
    """Open the blob store of a folder (`FOLDER` in the data folder, `file:///FOLDER`) or of `s3://KEY:SECRET@HOST:PORT/BUCKET`.

    `setting` is the setting that holds the URL, for error messages. Raises ConfigError.
    """
    if engine_of(url, setting, _ENGINES) == "s3":
        return open_s3_blobs(url, patience=patience, setting=setting)
    return open_folder_blobs(url, data, setting=setting)


@dataclass(slots=True, frozen=True)
class BlobPlace:
    """A store, a key or pattern in it, and the prefix with which its keys are shown, which holds no secrets."""

    store: str = field(repr=False)
    """The URL of the store."""
    pattern: str
    shown: str

    def name(self, key: str) -> str:
        """A key as it is shown to people."""
        return f"{self.shown}{key}"


def blob_place(url: str, default: str) -> BlobPlace | None:
    """Where a blob URL points; None when it is not a blob URL. `default` is the setting `engines.blobs`.

    `blob:KEY` is in that store. `s3://BUCKET/KEY` is on the same server, with the same user; `s3://KEY:SECRET@HOST/BUCKET/KEY`
    names its own. A `*` at the end means all keys with that prefix.
    """
    if url.startswith(IN_STORE):
        return BlobPlace(default, url.removeprefix(IN_STORE), _shown(default))
    if not url.startswith("s3://"):
        return None
    parts = urlsplit(url)
    if "@" in parts.netloc:
        server, path = f"s3://{parts.netloc}", parts.path.removeprefix("/")
    else:
        known = urlsplit(default if default.startswith("s3://") else _AMAZON)
        server, path = f"s3://{known.netloc}", url.removeprefix("s3://")
        parts = parts._replace(query=known.query)
    bucket, _, pattern = path.partition("?")[0].partition("/")
    if not bucket or not pattern:
        raise UsageError(f"{masked(url)!r} names no blob: write s3://BUCKET/KEY, or s3://BUCKET/PREFIX*")
    options = f"?{parts.query}" if parts.query else ""
    return BlobPlace(f"{server}/{bucket}{options}", pattern, f"s3://{bucket}/")


def _shown(store: str) -> str:
    return f"s3://{urlsplit(store).path.removeprefix('/')}/" if store.startswith("s3://") else IN_STORE

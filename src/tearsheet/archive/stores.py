"""The blob stores that archive files are copied to, by URL and by a name that tells no secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from tearsheet.engines.blobs_folder import open_folder_blobs
from tearsheet.engines.blobs_s3 import open_s3_blobs
from tearsheet.engines.ports import Blobs
from tearsheet.errors import ConfigError


def store_name(url: str) -> str:
    """A store's URL without user, password and options: how it is called in tables and messages."""
    scheme, _, rest = url.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def open_store(url: str, data: Path, patience: float) -> Blobs:
    """Open one store. `file:///FOLDER` is inside the data folder. Raises ConfigError."""
    scheme = urlsplit(url).scheme
    if scheme == "file":
        return open_folder_blobs(url, data)
    if scheme == "s3":
        return open_s3_blobs(url, patience=patience, setting="archive.stores")
    raise ConfigError(f"archive.stores: {store_name(url)!r} is neither file:///FOLDER nor s3://KEY:SECRET@HOST/BUCKET")


def stores_by_name(urls: Sequence[str], data: Path, patience: float) -> dict[str, Callable[[], Blobs]]:
    """For each store its name and how to open it. Raises ConfigError when two have one name."""
    stores: dict[str, Callable[[], Blobs]] = {}
    for url in urls:
        name = store_name(url)
        if name in stores:
            raise ConfigError(f"archive.stores: {name!r} is named twice")
        stores[name] = partial(open_store, url, data, patience)
    return stores

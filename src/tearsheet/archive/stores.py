"""The blob stores that archive files are copied to, by URL and by a name that tells no secret."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tearsheet.engines.blobs import Blobs, open_blobs
from tearsheet.errors import ConfigError


def store_name(url: str) -> str:
    """A store's URL without user, password and options: how it is called in tables and messages."""
    scheme, _, rest = url.partition("?")[0].partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def stores_by_name(urls: Sequence[str], data: Path, patience: float) -> dict[str, Callable[[], Blobs]]:
    """For each store its name and how to open it. Raises ConfigError when two have one name."""
    stores: dict[str, Callable[[], Blobs]] = {}
    for url in urls:
        name = store_name(url)
        if name in stores:
            raise ConfigError(f"archive.stores: {name!r} is named twice")
        stores[name] = partial(open_blobs, url, data, patience=patience, setting="archive.stores")
    return stores

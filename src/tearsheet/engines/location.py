"""Where an engine's URL points: a scheme, and for embedded engines a path inside the data folder."""

from __future__ import annotations

from pathlib import Path

from tearsheet.errors import ConfigError


def scheme_of(url: str) -> str:
    """`sqlite` for `sqlite:///tearsheet.db`."""
    scheme, colon, _ = url.partition("://")
    if not colon or not scheme:
        raise ConfigError(
            f"{url!r} is not an engine's URL: it should look like sqlite:///FILE (see `tearsheet config show`)"
        )
    return scheme.lower()


def local_path(url: str, data: Path) -> Path:
    """The path of an embedded engine: three slashes are inside the data folder, four are absolute."""
    rest = url.partition("://")[2]
    if not rest.startswith("/") or len(rest) < 2:
        raise ConfigError(f"{url!r} names no path: write three slashes for the data folder, four for an absolute path")
    return data / rest[1:]

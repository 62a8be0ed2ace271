"""`tearsheet --version`: what is installed, for a report of an error. Nothing is imported to find out, except what is quick."""

from __future__ import annotations

import platform
import sqlite3
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from tearsheet import __version__

ENGINES = (
    "tantivy", "sqlalchemy", "pycurl", "lxml", "resiliparse", "selectolax", "numpy", "fastapi", "uvicorn",
    "psycopg", "aio-pika", "opensearch-py", "elasticsearch", "confluent-kafka", "obstore", "boto3", "pyarrow", "pandas", "mcp",
)  # fmt: skip
"""Packages that do the work: of the core, then of the extras."""
_INSTALLED = ".dist-info"
_WIDTH = 80


def version_lines(path: Iterable[str] = sys.path) -> Iterator[str]:
    """Our version, then those of Python and the libraries in it, then those of the engines that are installed."""
    yield f"tearsheet {__version__}"
    parts = [f"Python {platform.python_version()}", f"SQLite {sqlite3.sqlite_version}", *_curl()]
    yield f"{', '.join(parts)}, on {sys.platform} {platform.machine()}"
    installed = installed_versions(path)
    yield from textwrap.wrap(", ".join(f"{name} {installed[name]}" for name in ENGINES if name in installed), _WIDTH)


def installed_versions(path: Iterable[str]) -> dict[str, str]:
    """The packages in these folders, by name, with their versions; of two, the one that Python would find.

    By the names of their folders, because the module for it (importlib.metadata) takes as long to load as all the rest.
    """
    found: dict[str, str] = {}
    for folder in path:
        for entry in Path(folder).glob(f"*{_INSTALLED}"):
            name, _, version = entry.name.removesuffix(_INSTALLED).rpartition("-")
            found.setdefault(name.lower().replace("_", "-"), version)
    return found


def _curl() -> list[str]:
    """What fetches pages, with what it encrypts them by. Both come within pycurl, whose own version does not tell."""
    try:
        import pycurl
    except ImportError:
        return []
    return [part.replace("/", " ") for part in pycurl.version.split() if part.startswith(("libcurl/", "OpenSSL/"))]

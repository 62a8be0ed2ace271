"""Whether the newsroom of a demo's folder is being served. Its invented sites are on this machine, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable

from tearsheet.app.engines import Engines
from tearsheet.errors import BusyError, EngineError
from tearsheet.urls import BadURL, host_of

SERVED = "demo"
"""What the demo holds its folder for while it serves its newsroom."""


def require_newsroom(engines: Engines, urls: Iterable[str] | None = None) -> None:
    """Raises EngineError in a demo's folder when its newsroom is not served, unless none of the `urls` is of its sites."""
    if not (engines.settings.data / f"{SERVED}.lock").exists():
        return
    if urls is not None and not any(_host(url) in engines.settings.fetch.connect_to for url in urls):
        return
    try:
        with engines.exclusive(SERVED):
            pass
    except BusyError:
        return
    raise EngineError(
        "the newsroom of this demo is not running, and its sites are nowhere else: start it with `tearsheet demo` in "
        "another terminal, and try again"
    )


def _host(url: str) -> str:
    try:
        return host_of(url)
    except BadURL:
        return ""

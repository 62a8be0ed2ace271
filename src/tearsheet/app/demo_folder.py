"""The demo's own folder, and its settings, which only this folder has.

The invented sites answer on this machine and nowhere else. How to reach them is written into the folder's `config.toml`, so that
every command on the folder finds them, and no command on any other folder may.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tearsheet.app.data_folder import DEMO_FOLDER
from tearsheet.app.engines import Engines
from tearsheet.app.newsroom import SERVED
from tearsheet.app.services import Services
from tearsheet.files import write_whole
from tearsheet.settings import CONFIG_FILE, DEFAULT_DATA_FOLDER, Settings, load_settings

if TYPE_CHECKING:
    from tearsheet.demo import Expectation, NewsroomServer

DEMO_SETTINGS: dict[str, object] = {
    # All requests go to our own machine, so there is no need to be slow; pages that hang on purpose are not waited for.
    "fetch.interval_seconds": 0.0,
    "fetch.per_host": 8,
    "fetch.timeout_seconds": 2.0,
    "fetch.max_bytes": 2_000_000,
    "feeds.interval_seconds": 0.0,
    "feeds.per_host": 8,
    "pipeline.retry_seconds": 0.2,
    "pipeline.max_retry_seconds": 1.0,
    "pipeline.import_seconds": 0.5,
    "archive.max_seconds": 15.0,
    "topics.seconds_per_media_fetch": 0.0,
    "topics.retry_seconds": 0.2,
    "topics.poll_seconds": 0.2,
}
_HEAD = "# Written by `tearsheet demo` at each start: how to reach its newsroom, which is served from this machine.\n"


def settings_of(server: NewsroomServer, expected: Expectation) -> dict[str, object]:
    """The settings that lead to a newsroom, by name."""
    hosts = server.connect_to()
    return DEMO_SETTINGS | {
        "fetch.connect_to": hosts,
        "fetch.manners_off": dict.fromkeys(hosts, "pace retry-after failing"),
        "pipeline.max_retries": expected.least_retries + 1,
    }


def as_config(settings: Mapping[str, object]) -> str:
    """Settings by name, as `config.toml` has them."""
    sections: dict[str, list[str]] = {}
    for name, value in settings.items():
        section, _, key = name.partition(".")
        sections.setdefault(section, []).append(f"{key} = {as_toml(value)}")
    return "\n".join(line for section, lines in sections.items() for line in (f"[{section}]", *lines, ""))


def as_toml(value: Any) -> str:
    """A value as `config.toml` has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


@contextmanager
def demo_services(
    data: Path | None, server: NewsroomServer, expected: Expectation, flags: Mapping[str, object]
) -> Iterator[Services]:
    """The services of the demo in a data folder, which is the demo's alone meanwhile. Raises BusyError."""
    folder = (data or Path(DEFAULT_DATA_FOLDER)) / DEMO_FOLDER
    with Engines(Settings(folder.absolute())) as folder_alone, folder_alone.exclusive(SERVED):
        write_whole(folder / CONFIG_FILE, (_HEAD + as_config(settings_of(server, expected))).encode())
        with Services(load_settings(folder, flags)) as services:
            yield services

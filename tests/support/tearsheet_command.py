"""Running the `tearsheet` command as a user does, on the demo newsroom that the test serves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch
from typer.testing import CliRunner, Result

from tearsheet.app.demo import DEMO_SETTINGS
from tearsheet.cli import app
from tearsheet.demo import Newsroom, NewsroomServer


def tearsheet(
    *arguments: str | Path, data: Path, timeout: float = 100, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        command(*arguments, data=data),
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment(environ),
        check=False,
    )


def in_process(*arguments: str | Path, data: Path) -> Result:
    """Run a short command in this very process: the same words, without the time that a start takes."""
    with MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("TEARSHEET_")]:
            patch.delenv(name)
        return CliRunner().invoke(app, ["--data", str(data), *map(str, arguments)])


def command(*arguments: str | Path, data: Path) -> list[str]:
    """The words of a command line."""
    return [sys.executable, "-m", "tearsheet", "--data", str(data), *map(str, arguments)]


def environment(more: dict[str, str]) -> dict[str, str]:
    """The environment without settings of whoever runs the tests."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TEARSHEET_")}
    return clean | more


def write_config(data: Path, server: NewsroomServer, newsroom: Newsroom, **more: Any) -> None:
    """A data folder whose settings lead to the test's newsroom, as an operator would write them."""
    flat = DEMO_SETTINGS | {
        "fetch.connect_to": server.connect_to(),
        "fetch.manners_off": dict.fromkeys(server.connect_to(), "pace retry-after failing"),
        "pipeline.max_retries": newsroom.expectation().least_retries + 1,
        **more,
    }
    sections: dict[str, list[str]] = {}
    for name, value in flat.items():
        section, _, key = name.partition(".")
        sections.setdefault(section, []).append(f"{key} = {as_toml(value)}")
    data.mkdir(parents=True, exist_ok=True)
    text = "\n".join(line for section, lines in sections.items() for line in (f"[{section}]", *lines, ""))
    (data / "config.toml").write_text(text, "utf-8")


def as_toml(value: Any) -> str:
    """A value as `config.toml` has it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)

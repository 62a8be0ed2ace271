"""Running the `tearsheet` command as a user does, on the demo newsroom that the test serves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch
from typer.testing import CliRunner, Result

from tearsheet.app.demo_folder import as_config, as_toml, settings_of
from tearsheet.cli import app
from tearsheet.demo import Newsroom, NewsroomServer

__all__ = ["as_toml", "command", "environment", "in_process", "tearsheet", "write_config"]


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


def in_process(*arguments: str | Path, data: Path, **environ: str) -> Result:
    """Run a command to its end in this very process: the same words, without the time that a start takes."""
    with MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("TEARSHEET_")]:
            patch.delenv(name)
        for name, value in environ.items():
            patch.setenv(name, value)
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
    data.mkdir(parents=True, exist_ok=True)
    (data / "config.toml").write_text(as_config(settings_of(server, newsroom.expectation()) | more), "utf-8")

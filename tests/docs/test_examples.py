"""Every command that the documentation shows exists, with the options that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tearsheet.cli import app
from tests.support.paths import ROOT

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
_LINE = re.compile(r"^(?:    |\$ )*(?:\.venv/bin/)?(tearsheet [a-z-].*)$", re.MULTILINE)
_INLINE = re.compile(r"`(?:\.venv/bin/)?(tearsheet [^`]+)`")
_GLOBAL = {"--data": 1, "--log-level": 1, "--log-format": 1, "--quiet": 0, "-q": 0, "--no-pager": 0}
_ALONE = {"--help", "--version", "--install-completion", "--show-completion"}


def examples(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    lines = [found for line in _LINE.findall(text) for found in re.split(r" &(?: |$)|;| \| | > |  #", line)]
    return [line.strip() for line in (*lines, *_INLINE.findall(text)) if line.strip().startswith("tearsheet ")]


def problem(line: str) -> str | None:
    """What is wrong with a command line; None when nothing is. `…` and words in capitals stand for a user's own."""
    words = shlex.split(line)[1:]
    command: Any = get_command(app)
    while words and (words[0] in _GLOBAL.keys() | _ALONE or hasattr(command, "list_commands")):
        word = words.pop(0)
        if word in _ALONE:
            return None
        if word in _GLOBAL:
            del words[: _GLOBAL[word]]
        elif word.isupper() or word == "…":
            return None
        elif (command := command.get_command(None, word)) is None:
            return f"no command {word}"
    known = {name for part in command.params for name in (*part.opts, *part.secondary_opts)} | {"--help", "-h"}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]
    return f"no option {unknown[0]}" if unknown else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_can_be_called(page: Path):
    wrong = {line: what for line in examples(page) if (what := problem(line))}
    assert not wrong


def test_wrong_examples_would_be_seen():
    assert problem("tearsheet serch flood") == "no command serch"
    assert problem("tearsheet archive wacz flood.wacz --query flood") == "no option --query"
    assert problem("tearsheet --data x search 'a -b' --limit 0 --csv") is None
    assert len(examples(ROOT / "README.md")) > 10

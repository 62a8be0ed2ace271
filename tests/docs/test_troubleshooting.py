"""The page for those who look up a message: the program can print each of them, and ends with the code that the page names."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tearsheet import errors
from tearsheet.errors import EXIT_CODES
from tests.support.paths import ROOT
from tests.support.source_trees import SOURCE, tree_of

PAGE = (ROOT / "docs" / "how-to" / "troubleshooting.md").read_text("utf-8")
ENTRIES = re.findall(r"^### (.+)\n((?:(?!#).*\n)+)", PAGE, re.MULTILINE)


def quoted(heading: str) -> list[str]:
    """The messages in a heading: what stands in backticks, where that is all of it."""
    spans = [inner for _, inner in re.findall(r"(`+)(.+?)(?<!`)\1(?!`)", heading)]
    return [span.strip() for span in spans] if heading.startswith("`") else []


MESSAGES = [(message, text) for heading, text in ENTRIES for message in quoted(heading)]


def said(node: ast.expr) -> str:
    """A text of the program, with `…` for whatever it puts in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(said(part) for part in node.values)
    return "…" if isinstance(node, ast.FormattedValue) else ""


@cache
def texts() -> dict[str, set[str]]:
    """Every text in the program, and the errors and functions that are made with it."""
    found: dict[str, set[str]] = {}
    parts = {max(message.split("…")[:2], key=len).strip()[:12] for message, _ in MESSAGES}
    beginning = re.compile("|".join(map(re.escape, sorted(parts))))
    for path in SOURCE.rglob("*.py"):
        if not beginning.search(path.read_text("utf-8")):
            continue  # to read them all as trees would take most of the time
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for argument in node.args[:1]:
                    found.setdefault(said(argument), set()).add(node.func.id)
            elif isinstance(node, ast.Constant | ast.JoinedStr):
                found.setdefault(said(node), set())
    return found


def callers(message: str) -> set[str] | None:
    """What is made with a message; None if the program never says it. A `…` at its ends may stand for anything."""
    wanted = message.removesuffix("…").removeprefix("…").strip()
    uses = [names for text, names in texts().items() if wanted in text]
    return set().union(*uses) if uses else None


@pytest.mark.parametrize(("message", "text"), MESSAGES, ids=[message[:60] for message, _ in MESSAGES])
def test_the_program_can_print_the_message_and_ends_with_the_code_that_the_page_names(message, text):
    by = callers(message)
    assert by is not None, "no text of the program has these words"
    kinds = [getattr(errors, name, None) for name in by]
    codes = {kind.exit_code for kind in kinds if isinstance(kind, type) and issubclass(kind, errors.TearsheetError)}
    named = re.match(r"Exit code (\d+)", text)
    if codes and named:
        assert int(named[1]) in codes


def test_every_code_that_is_named_exists():
    assert len(MESSAGES) > 40
    assert {int(code) for code in re.findall(r"(?i)exit code (\d+)", PAGE)} <= set(EXIT_CODES)


def test_a_message_that_nobody_prints_would_be_seen():
    assert callers("there is no settings …; `tearsheet config show` lists them all") is None
    assert callers("port … is in use on …") == {"BusyError"}
    assert quoted("`` a `b` c ``") == ["a `b` c"]
    assert quoted("`one`, `two`") == ["one", "two"]
    assert quoted("A queue that ends in `-quar`") == []

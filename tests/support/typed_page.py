"""Pages of the documentation that show a terminal: what is typed there, and what is shown, is what a reader meets.

In a block of the kind `console`, lines that begin with `$ ` are typed; the lines below are the output, where `…` stands
for the rest of a line, and alone in a line for any number of lines. Times and ports may differ, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_CODE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$|^( {4,}\S[^\n]*)$", re.MULTILINE | re.DOTALL)
"""A fenced block with its language, or an indented line."""
_PROGRAMS = "tearsheet|make|python3|pip|mkdir|cp|mv|export|wb-manager|wayback"
_LINE = re.compile(rf"^ *((?:[A-Z_]+=\S+ )?(?:\.venv/bin/)?(?:{_PROGRAMS})(?: .+?)?)(?:  +#.*)?$", re.MULTILINE)
LEFT_OUT = "…"


@dataclass(slots=True)
class Typed:
    """One command line, and what the page shows below it."""

    command: str
    shown: list[str] = field(default_factory=list)

    def differs_from(self, output: str) -> str:
        """How an output differs from what is shown; empty when it does not."""
        pattern = "".join(r"(?:.*\n)*?" if line == LEFT_OUT else _pattern(line) for line in self.shown)
        found = "".join(f"{_plain(line)}\n" for line in output.splitlines())
        shown = "\n".join(self.shown)
        return "" if re.fullmatch(pattern, found) else f"$ {self.command}\n--- shown:\n{shown}\n--- found:\n{output}"


def _pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in _plain(line).split(LEFT_OUT)) + "\n"


def _plain(line: str) -> str:
    return _PORT.sub("127.0.0.1:PORT", _MOMENT.sub("MOMENT", line)).rstrip()


def typed_in(page: Path) -> Iterator[Typed]:
    """Every command that a page types, in order."""
    for block in _BLOCK.findall(page.read_text("utf-8")):
        typed: Typed | None = None
        for line in block.splitlines():
            if line.startswith("$ "):
                if typed is not None:
                    yield typed
                typed = Typed(line.removeprefix("$ "))
            elif typed is not None:
                typed.shown.append(line)
        if typed is not None:
            yield typed


def command_lines(text: str) -> list[str]:
    """The lines for a shell in the blocks of code of a page that shows no output, in their order, without their comments."""
    blocks = [block or indented for language, block, indented in _CODE.findall(text) if language in ("", "sh")]
    return _LINE.findall("\n".join(blocks))

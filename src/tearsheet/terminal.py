"""Text that is safe to print: what strangers wrote can neither command a terminal nor turn a line around.

Titles, addresses, reason phrases and headers come from strangers. A terminal obeys control characters in them, sets its title,
clears its screen or answers as if the reader had typed; bidirectional controls show a text in another order than it is stored.
"""

from __future__ import annotations

import re

_UNSEEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Bidirectional controls. They are left out: honest titles in Arabic or Hebrew have them too, and are read without them."""
_BREAKS = re.compile("[\r\x0b\x0c\x85\u2028\u2029]")
_COMMANDS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""The other control characters of C0 and C1, and halves of characters, which cannot be written at all."""
_UNPRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_HALVES = re.compile("[\ud800-\udfff]")
_LINES = re.compile(r"[\t\n]+")
_REPLACED = "\ufffd"


def clean(text: str) -> str:
    """Text as it may be printed, in lines. A control character becomes `\ufffd`, so that one sees that there was something."""
    if text.isprintable() or not _UNPRINTED.search(text):
        return text
    return _COMMANDS.sub(_REPLACED, _UNSEEN.sub("", _BREAKS.sub(" ", text.replace("\r\n", "\n"))))


def clean_line(text: str) -> str:
    """Text as it may be printed within one line, so that it cannot pass for a line of ours."""
    return _LINES.sub(" ", clean(text))


def safe_json(text: str) -> str:
    """JSON that can be shown by a terminal too: the same data, with what JSON need not escape escaped as well.

    Only halves of characters become question marks: many programs refuse them, escaped or not.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", _HALVES.sub("?", text))

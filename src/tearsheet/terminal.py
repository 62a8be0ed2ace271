"""Text that is safe to print: what strangers wrote can neither command a terminal nor turn a line around.

Titles, addresses, reason phrases and headers come from strangers. A terminal obeys control characters in them, sets its title,
clears its screen or answers as if the reader had typed; bidirectional controls show a text in another order than it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import combining, east_asian_width
from urllib.parse import quote

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
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_SAFE_IN_LINKS = "!#$%&'()*+,/:;=?@[]~"
_VTE_WITH_LINKS = 5000
_PROGRAMS_WITH_LINKS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "WarpTerminal"})
_TERMS_WITH_LINKS = ("xterm-kitty", "alacritty", "foot", "contour", "wezterm", "xterm-ghostty", "tmux-256color")


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


def cells(text: str) -> int:
    """How many columns a line takes on a terminal: characters of East Asia take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def link_target(text: str) -> str | None:
    """The address that a text is, as it may stand in a link of a terminal; None unless it is a clean one of http or https.

    A terminal reads the target of a link up to the next control character, and takes printable ASCII only.
    """
    if not _WEB.match(text) or text != clean_line(text) or " " in text:
        return None
    return quote(text, safe=_SAFE_IN_LINKS)


def is_address(text: str) -> bool:
    """Whether a text is an address of the web, which must stay in one piece to be of use."""
    return _WEB.match(text) is not None and " " not in text


def linked(text: str, target: str) -> str:
    """Clean text that a terminal shows as a link (OSC 8) to what `link_target` returned."""
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def shows_links(environ: Mapping[str, str]) -> bool:
    """Whether the terminal that this environment describes is known to show links; others could print the commands.

    `FORCE_HYPERLINK`, which other programs know too, says so for a terminal that we do not know, or with 0 against one.
    """
    if forced := environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    if environ.get("TERM", "") in ("", "dumb", "linux"):
        return False
    if (version := environ.get("VTE_VERSION", "")).isdecimal():
        return int(version) >= _VTE_WITH_LINKS
    return (
        environ.get("TERM_PROGRAM") in _PROGRAMS_WITH_LINKS
        or environ["TERM"].startswith(_TERMS_WITH_LINKS)
        or any(environ.get(name) for name in ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "DOMTERM"))
    )

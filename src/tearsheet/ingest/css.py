"""Style sheets: what they import and what their `url()`s name. Linear in the length of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tearsheet.extract import decode

_DOUBLE = r"""(?:[^"\\\n]|\\.)*+"""
_SINGLE = r"""(?:[^'\\\n]|\\.)*+"""
_BARE = r"""(?:[^\s"'()\\]|\\(?:[0-9a-f]{1,6}+\s?+|.))*+"""
_TOKEN = re.compile(
    # Every alternative that starts to match also completes, so nothing is scanned twice. An unclosed string ends with its line.
    rf"""(?P<comment>/\*.*?(?:\*/|\Z))
    |url\(\s*+(?:"(?P<double>{_DOUBLE})(?P<closed1>")?|'(?P<single>{_SINGLE})(?P<closed2>')?|(?P<bare>{_BARE}))
    |"(?P<text1>{_DOUBLE})(?P<closed3>")?|'(?P<text2>{_SINGLE})(?P<closed4>')?
    |(?P<at>@[a-z-]++)|(?P<set>image-set\()|(?P<type>type\()|(?P<open>\()|(?P<close>\))|(?P<end>[;{{}}])""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_CHARSET = re.compile(rb"""@charset "([\w.:+-]{2,40})";""")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(\n)|(.))", re.IGNORECASE | re.DOTALL)
MAX_CSS = 4_000_000
"""How many characters of a style sheet are read."""
_MAX_ADDRESS = 4_000


def sheet_text(body: bytes, charset: str | None, page_charset: str | None = None) -> str:
    """The text of a style sheet, decoded by its byte order mark, HTTP, its own `@charset`, or else the charset of its page."""
    own = _CHARSET.match(body)
    stated = charset or (own[1].decode("ascii", "replace") if own else page_charset)
    return decode(body, stated)[0]


@dataclass(slots=True, frozen=True)
class CssAddress:
    """An address in a style sheet, and its position."""

    kind: str
    """`stylesheet` for an import, else `image` or `font`."""
    address: str
    start: int
    end: int


def css_addresses(text: str) -> Iterator[CssAddress]:
    """The addresses of what a style sheet loads, in order. Comments, names and other text are skipped."""
    rule, depth, in_set = "", 0, 0
    for found in _TOKEN.finditer(text, 0, MAX_CSS):
        kind = found.lastgroup or ""
        if kind in ("at", "end"):
            rule, depth, in_set = found[0].lower() if kind == "at" else "", 0, 0
        elif kind in ("open", "set", "type"):
            depth += 1
            in_set = depth if kind == "set" else in_set
        elif kind == "close":
            in_set = 0 if depth == in_set else in_set
            depth = max(0, depth - 1)
        elif kind != "comment" and rule != "@namespace":
            is_url = found[0][:4].lower() == "url("
            if is_url or rule == "@import" or in_set == depth > 0:
                yield from _named(found, rule)
                rule = "" if rule == "@import" else rule
            depth += is_url  # its bracket closes like any other


def _named(found: re.Match[str], rule: str) -> Iterator[CssAddress]:
    for name, closed in (
        ("double", "closed1"),
        ("single", "closed2"),
        ("bare", None),
        ("text1", "closed3"),
        ("text2", "closed4"),
    ):
        if found[name] is not None and (closed is None or found[closed]) and len(found[name]) <= _MAX_ADDRESS:
            address = _ESCAPE.sub(_unescaped, found[name]).strip()
            if address:
                yield CssAddress("stylesheet" if rule == "@import" else _kind(address), address, *found.span(name))


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        number = int(found[1], 16)
        return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return found[3] or ""


def css_references(text: str) -> Iterator[tuple[str, str]]:
    """(type, address) of everything that a style sheet loads."""
    for found in css_addresses(text):
        yield found.kind, found.address


def _kind(address: str) -> str:
    path = address.partition("?")[0].partition("#")[0].lower()
    return "font" if path.endswith((".woff", ".woff2", ".ttf", ".otf", ".eot")) else "image"


def rewrite_css(text: str, replace: Callable[[str, str], str | None]) -> str:
    """The style sheet with its addresses replaced: `replace` is given the type and the address.

    If it returns None, the address stays as it is. What it returns must need no quotes, like a base64 `data:` address.
    """
    text = text[:MAX_CSS]
    pieces, position = [], 0
    for found in css_addresses(text):
        target = replace(found.kind, found.address)
        if target is not None:
            pieces += [text[position : found.start], target]
            position = found.end
    return "".join([*pieces, text[position:]])

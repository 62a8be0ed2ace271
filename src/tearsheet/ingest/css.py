"""Style sheets: what they import and what their `url()`s name. Linear in the length of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_REFERENCE = re.compile(
    r"""(?P<import>@import\s{0,20}(?:url\(\s{0,20})?)?"""
    r"""(?(import)|url\(\s{0,20})"""
    r"""(?:"(?P<double>[^"\n]{0,4000})"|'(?P<single>[^'\n]{0,4000})'|(?P<bare>[^\s"'();]{1,4000}))""",
    re.IGNORECASE,
)
MAX_CSS = 4_000_000
"""Characters of a style sheet that are looked at."""


def css_references(text: str) -> Iterator[tuple[str, str]]:
    """(type, address) of what a style sheet brings along, in order: `stylesheet` for imports, else `image` or `font`."""
    for found in _REFERENCE.finditer(_COMMENT.sub(" ", text[:MAX_CSS])):
        address = (found["double"] or found["single"] or found["bare"] or "").strip()
        if address:
            yield ("stylesheet" if found["import"] else _kind(address)), address


def _kind(address: str) -> str:
    path = address.partition("?")[0].partition("#")[0].lower()
    return "font" if path.endswith((".woff", ".woff2", ".ttf", ".otf", ".eot")) else "image"


def rewrite_css(text: str, replace: Callable[[str], str | None]) -> str:
    """The style sheet with each address that it names replaced; None from `replace` leaves one as it is."""

    def one(found: re.Match[str]) -> str:
        address = (found["double"] or found["single"] or found["bare"] or "").strip()
        target = replace(address) if address else None
        if target is None:
            return found[0]
        group = "double" if found["double"] is not None else "single" if found["single"] is not None else "bare"
        start = found.start(group) - found.start()
        end = found.end(group) - found.start()
        return found[0][:start] + target + found[0][end:]

    return _REFERENCE.sub(one, _COMMENT.sub(" ", text[:MAX_CSS]))

"""The language a text is written in."""

from __future__ import annotations

import re

from resiliparse.parse.lang import detect_fast

_TAG = re.compile(r"([a-z]{2})(?:[-_][a-z0-9]{2,8}){0,2}")
_SAMPLE = 2000
_CUTOFF = 1200


def language_of(text: str) -> str | None:
    """The two-letter ISO 639-1 code, detected from the text itself; None if it cannot be detected."""
    code, _rank = detect_fast(text[:_SAMPLE], _CUTOFF)
    return code if len(code) == 2 else None


def stated_language(tag: str | None) -> str | None:
    """A language tag as a page states it (`en-GB`), tidied; None if it is not one."""
    tag = (tag or "").strip().lower().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else None

"""How the addresses of articles look at different sites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from urllib.parse import quote

from tearsheet.demo.languages import LANGUAGES

_KEPT = "/:@!$&'()*+,;=~-._"


def slug(text: str, words: int = 30) -> str:
    """The words of a headline, in ASCII if they have such a form, or else percent-encoded."""
    folded = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    bare = "".join(char for char in folded if not unicodedata.combining(char))
    parts = re.findall(r"\w+", unicodedata.normalize("NFC", bare))
    return quote("-".join(parts[:words]), safe=_KEPT)


def _dated(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/{when:%Y/%m/%d}/{slug(title)}"


def _numbered(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/news/{slug(title)}-{10_000 + number}.html"


def _section(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/{slug(LANGUAGES[language].events[event].section)}/{slug(title, 6)}-a{10_000 + number}"


def _query(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/article.php?id={10_000 + number}"


def _slash(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/{when:%Y/%m}/{slug(title)}/"


def _unicode(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/{language}/{when:%Y-%m}/{slug(title[:24])}-{10_000 + number}"


def _mixed(title: str, number: int, when: datetime, language: str, event: str) -> str:
    return f"/Story/{event.title()}-A{10_000 + number}"


STYLES: dict[str, Callable[[str, int, datetime, str, str], str]] = {
    "dated": _dated,
    "numbered": _numbered,
    "section": _section,
    "query": _query,
    "slash": _slash,
    "unicode": _unicode,
    "mixed": _mixed,
}


def article_path(style: str, title: str, number: int, when: datetime, language: str, event: str) -> str:
    """Path and query of an article at a site of this style."""
    return STYLES[style](title, number, when, language, event)

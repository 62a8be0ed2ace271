"""What a word is. Every index, the test of a single story and the regular expression follow this one rule.

Text is folded first: compatibility and full-width forms become plain (NFKC), case is removed, invisible joiners and soft hyphens
are dropped. A word is then the longest run of letters, digits and marks of any script. An apostrophe or a hyphen ends a word,
so that *l'homme* contains *homme*; a query for `e-mail` is the phrase of its two words.

Chinese, Japanese, Thai and similar scripts have no spaces. A run of their characters gives every pair of neighbours, and its last
character alone: 東京都 gives 東京, 京都, 都. So there is one word for each character, each begins with its character, and any part
of a run can be found without knowing where its words end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from tearsheet.foreign_text import with_few_marks

MAX_WORD = 128
"""How many characters of a word count. Longer words are cut off here, in texts and queries alike; engines have their own limits."""

UNSPACED = (
    "\u0e00-\u0e3e\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff"  # Thai, Lao
    "\u0f40-\u0f84\u0f86-\u0fbc"  # Tibetan
    "\u1000-\u1049\u1050-\u109d"  # Myanmar
    "\u1780-\u17d3\u17dc-\u17e9"  # Khmer
    "\u1950-\u19dd"  # Tai Le, New Tai Lue
    "\u1a20-\u1a9f"  # Tai Tham
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"  # iteration marks and numerals of Han
    "\u3041-\u3096\u3099\u309a\u309d-\u309f"  # Hiragana
    "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Katakana
    "\u3105-\u312f"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaadd"  # Myanmar, Tai Viet
    "\U0001aff0-\U0001b16f"  # Kana
    "\U00020000-\U0003ffff"  # Han
)
"""Characters of scripts without spaces, as the inside of a character class."""

_SPACING_ACCENTS = (
    "\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed\u1fee\u1ffd\u1ffe"
    "\u2017\u203e\u309b\u309c\ufc5e-\ufc63\ufe49-\ufe4c\ufe70\ufe72\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uffe3"
)
"""Characters that NFKC turns into a space and a mark. Here they are spaces: the accent of `l´homme` is an apostrophe."""
JOINERS = "\u00ad\u034f\u180b-\u180f\u200c\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff"
"""Invisible characters inside words: soft hyphens, joiners, variation selectors, tags."""

_ACCENT = re.compile(f"[{_SPACING_ACCENTS}]")
_JOINER = re.compile(f"[{JOINERS}]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_COMMON_PUNCTUATION = "\u2019\u201c\u201d\u2018\u2013\u2014\u2026\u00a0"
"""The characters that keep most English text from being ASCII; replaced first, because ASCII is split five times as fast."""
_MARK = "\x00"
"""Put before each character of a script without spaces while a text is split."""


def is_separator(character: str) -> bool:
    """Whether a character separates words: it is not a letter, digit or mark."""
    return unicodedata.category(character)[0] not in "LNM"


class _Folded(dict[int, str]):
    """What each character becomes when a text is split: filled as characters are met, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if _JOINER.match(character):
            result = ""
        elif is_separator(character):
            result = " "
        else:
            result = (_MARK if _UNSPACED.match(character) else "") + character.casefold()
        self[code] = result
        return result


_folded = _Folded()


def _normal(text: str) -> str:
    """NFKC, with accents that stand alone as spaces."""
    text = with_few_marks(text)
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", _ACCENT.sub(" ", text))


def fold(text: str) -> str:
    """Text without differences that do not matter: case, width, compatibility forms, invisible characters."""
    return text.lower() if text.isascii() else _JOINER.sub("", _normal(text).casefold())


def _prepared(text: str) -> str:
    """Folded text with spaces for everything between words, and marks before characters of scripts without spaces."""
    if not text.isascii():
        for character in _COMMON_PUNCTUATION:
            text = text.replace(character, " ")
        if not text.isascii():
            text = _normal(text)
    return text.translate(_folded)


def plain(text: str) -> str:
    """Folded text with a space for every character that separates words."""
    return _prepared(text).replace(_MARK, "")


def cut(text: str) -> list[str]:
    """The words of a text, in order."""
    text = _prepared(text)
    words = text.split()
    if _MARK in text:
        words = [word for piece in words for word in (_cut_mixed(piece) if _MARK in piece else (piece,))]
    if words and max(map(len, words)) > MAX_WORD:
        words = [word[:MAX_WORD] for word in words]
    return words


def _cut_mixed(piece: str) -> Iterator[str]:
    """A piece with characters of scripts without spaces, perhaps among others: `2024年`."""
    piece = piece.replace(_MARK, "")
    position = 0
    for run in _UNSPACED_RUN.finditer(piece):
        if run.start() > position:
            yield piece[position : run.start()]
        characters = run[0]
        yield from (characters[i : i + 2] for i in range(len(characters)))
        position = run.end()
    if position < len(piece):
        yield piece[position:]


def cut_to_text(text: str) -> str:
    """The words of a text with spaces between them, for an engine that splits at spaces.

    Most texts have this form once they are folded; splitting and joining them again would take three times as long.
    """
    prepared = _prepared(text)
    return " ".join(cut(text)) if _MARK in prepared or _has_long_word(prepared) else prepared


def _has_long_word(text: str) -> bool:
    """Whether a word is too long. Such a word covers a position that is a multiple of the limit."""
    for position in range(MAX_WORD, len(text), MAX_WORD):
        space = text.rfind(" ", position - MAX_WORD, position + 1)
        piece = text[space + 1 : space + 2 + MAX_WORD]
        if space < 0 or (len(piece) > MAX_WORD and " " not in piece):
            return True
    return False


@lru_cache(maxsize=4096)
def cut_query(text: str) -> tuple[tuple[str, ...], bool]:
    """The words to look for, and whether the last one is only a prefix.

    A run without spaces may continue after the part that is searched for, so its last single character is not a word of the query:
    東京 asks for the one word 東京, and 京 alone for any word that begins with 京.
    """
    words = cut(text)
    if not words or not is_unspaced(words[-1]):
        return tuple(words), False
    if len(words) > 1 and len(words[-2]) == 2 and words[-2][1] == words[-1] and is_unspaced(words[-2]):
        return tuple(words[:-1]), False
    return tuple(words), True


def is_unspaced(word: str) -> bool:
    """Whether a word is one or two characters of a script without spaces."""
    return len(word) <= 2 and _UNSPACED_RUN.fullmatch(word) is not None

"""The spellings of a word in a page: with markup inside, with character references or escapes, with other forms of its letters.

The usual spellings are part of a word's pattern (`word_pattern`). The unusual ones are too many for that, so one pattern tells
whether a page has any that matter for these words (`other_spellings_pattern`). Only the parts of a page that do are unfolded,
which is slow, and searched again.
"""

from __future__ import annotations

import html.entities
import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache

import re2

from tearsheet.foreign_text import unescape
from tearsheet.query import JOINERS, fold, is_separator

_GAP = f"(?:<[^<>]*>|[{JOINERS}]|&shy;?)*"
"""What may be inside a word unseen: markup, as in `<b>F</b>lood`, soft hyphens and other invisible characters."""
_TOGETHER = r"(?:[^\s<]|<[^<>]*>)*"
"""What may belong to one word: everything up to the next space, and markup with the spaces in it."""
_SHARP = re.compile("^s+|ss+|s+$")
"""Where an `s` may be, or be half of, a `ß`."""
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_RANGES = (range(0x20, 0x20000), range(0x2F800, 0x2FA20))
"""The ranges with characters that have another form, or that combine with their neighbours."""
_TAGS = ("91[7-9][0-9]{3}", "92[01][0-9]{3}"), ("e0[0-9a-f]{3}",)
"""The many invisible tag characters, in decimal and in hexadecimal."""


def word_pattern(word: str) -> str:
    """A pattern for RE2 that finds a folded word in its usual spellings.

    With markup and soft hyphens in it, with `ß`, and with references and escapes for non-ASCII letters.
    """
    pieces: list[str] = []
    end = 0
    sharp = f"(?:s|{_letter('ß')})"
    for found in _SHARP.finditer(word):
        pieces += [*map(_letter, word[end : found.start()]), f"{sharp}(?:{_GAP}{sharp})*"]
        end = found.end()
    return _GAP.join([*pieces, *map(_letter, word[end:])])


@cache
def _letter(letter: str) -> str:
    """A pattern for a letter; if it is not ASCII, also by its references and its escape: `é`, `&eacute;`, `&#233;`, `\\u00e9`."""
    if letter.isascii():
        return str(re2.escape(letter))
    cases = {form for form in (letter, letter.upper()) if len(form) == 1}
    codes = {ord(c) for c in cases} | {code for code, c in _old_codes().items() if c in cases}
    names = [name for name, text in html.entities.html5.items() if text in cases]
    forms = [
        re2.escape(letter),
        f"&#0*(?:{'|'.join(map(str, sorted(codes)))});?",
        f"&#x0*(?:{'|'.join(f'{code:x}' for code in sorted(codes))});?",
        rf"\\u(?:{'|'.join(f'{ord(c):04x}' for c in sorted(cases) if ord(c) < 0x10000)})",
    ]
    if names:
        forms.append(f"(?-i:&(?:{'|'.join(sorted(names))}))")
    return f"(?:{'|'.join(forms)})"


def surroundings(pattern: str) -> str:
    """A pattern that finds what another finds, with everything around it that may belong to the same word."""
    return f"{_TOGETHER}(?:{pattern}){_TOGETHER}"


def unfold(page: str) -> str:
    """A part of a page with its references and escapes resolved, folded as texts are before they are split into words."""
    return fold(unescape(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), page)))


def other_spellings_pattern(words: Iterable[str]) -> str:
    """A pattern for RE2 (to be used case-insensitively) that finds something in every page that may spell a word unusually.

    That is, in a way that `word_pattern` does not find. The words are folded. Only what could become part of one counts:
    `&eacute;` is not part of "flood".
    """
    letters = set("".join(words))
    joining = _joining() if any(not letter.isascii() for letter in letters) else frozenset()
    forms = {c for c, folded in _other_forms().items() if not letters.isdisjoint(folded) and c != "ß"} | joining
    ascii_letters = {form for letter in letters if letter.isascii() for form in (letter, letter.upper())}
    written = forms | ascii_letters | set(_joiners())
    parts = _references(written)
    if unlike := {c for c in forms if len(c.casefold()) > 1 or c.casefold() != _other_forms().get(c)}:
        # The others differ only in case, which RE2 handles itself.
        parts.append(f"(?-i:[{''.join(sorted(unlike))}])")
    if escaped := [f"{ord(c):04x}" for c in written if 0x80 <= ord(c) < 0x10000]:
        parts.append(rf"\\u(?:{'|'.join(sorted(escaped))})")
    return "|".join(f"(?:{part})" for part in parts)


def _references(written: Collection[str]) -> list[str]:
    """Patterns for references to these characters, by number and by name."""
    codes = {ord(c) for c in written} | {code for code, c in _old_codes().items() if c in written}
    decimal = "|".join([*_TAGS[0], *map(str, sorted(codes))])
    hexadecimal = "|".join([*_TAGS[1], *(f"{code:x}" for code in sorted(codes))])
    names = sorted(
        name for name, text in html.entities.html5.items() if text != "\xad" and any(c in written for c in text)
    )
    return [
        f"&#0*(?:{decimal})(?:[^0-9]|$)",
        f"&#x0*(?:{hexadecimal})(?:[^0-9a-f]|$)",
        f"(?-i:&(?:{'|'.join(names)}))",
    ]


@cache
def _other_forms() -> dict[str, str]:
    """Characters that fold to something other than their lower case, with what they fold to: `ß`, `ﬁ`, `Ａ`, `²`, `™`."""
    found = {}
    for character in map(chr, (code for codes in _RANGES for code in codes)):
        folded = fold(character)
        if folded not in (character, character.lower()) and not all(map(is_separator, folded)):
            found[character] = folded
    return found


@cache
def _joining() -> frozenset[str]:
    """Characters that Unicode normalisation combines with the one before them, or reorders."""
    pairs = (unicodedata.decomposition(chr(code)).split() for codes in _RANGES for code in codes)
    second = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and not pair[0].startswith("<")}
    ordered = {chr(code) for codes in _RANGES for code in codes if unicodedata.combining(chr(code))}
    return frozenset(second | ordered | set(map(chr, range(0x1161, 0x1200))))


@cache
def _joiners() -> tuple[str, ...]:
    whole = re.compile(f"[{JOINERS}]")
    return tuple(c for c in map(chr, range(0x10000)) if whole.match(c))


@cache
def _old_codes() -> dict[int, str]:
    """Numeric references to C1 control characters, which browsers and `html.unescape` read as Windows-1252."""
    return {code: unescape(f"&#{code};") for code in range(128, 160)}

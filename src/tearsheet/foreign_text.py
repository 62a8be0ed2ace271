"""What Python offers for text, made safe for text that strangers wrote: it always answers, in time that grows with the text."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from functools import lru_cache
from typing import Any, TypeVar

T = TypeVar("T")
_NUMBER = re.compile(r"&#(?=[0-9])0*+([0-9]*+)")
_MOST_DIGITS = 8
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_MOST_MARKS = 30
"""As in Unicode's own Stream-Safe Text Format: no word of any language has more marks on one letter."""
_FIRST_MARK, _AFTER_BASIC, _AFTER_LAST_MARK = 0x300, 0x10000, 0x1F000
_MARKS_IN_DISGUISE = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Characters that are none, but become some."""
_HALF = r"[dD][89abAB][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\(?:u{_HALF}\\u[dD][c-fC-F][0-9a-fA-F]{{2}}|u([dD][89a-fA-F][0-9a-fA-F]{{2}})|.)", re.DOTALL)
"""An escape of JSON: two halves of a character, one half by itself, or any other."""
_LEAST, _MOST = -(2**63), 2**63 - 1
_MOST_WHOLE_DIGITS = 20


def unescape(text: str) -> str:
    """`html.unescape`, which raises ValueError for a character reference of thousands of digits."""
    if "&#" in text:
        text = _NUMBER.sub(lambda found: f"&#{found[1][:_MOST_DIGITS] or '0'}", text)
    return html.unescape(text)


def xml_safe(text: str) -> str:
    """The text without the characters that no XML document may have."""
    return _NOT_XML.sub("", text)


def read_json(text: str) -> Any:
    """`json.loads`, with nothing in its answer that could not be written again. Raises ValueError, also if nested too deeply.

    An escaped half of a character, as programs leave it that cut texts off, becomes `\ufffd`. A whole number of more than 64 bits,
    which no database has and no message takes, becomes a fraction, as it is in other languages.
    """
    if "\\ud" in text or "\\uD" in text:
        text = _ESCAPE.sub(lambda found: r"\ufffd" if found[1] else found[0], text)
    try:
        return json.loads(text, parse_int=_whole_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def decode_json(data: bytes | str, kind: type[T]) -> T:
    """JSON as a value of this type. Raises ValueError, whatever it is instead, also if nested too deeply."""
    import msgspec  # few who need this module need it

    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _whole_number(digits: str) -> int | float:
    if len(digits) > _MOST_WHOLE_DIGITS or not _LEAST <= int(digits) <= _MOST:
        return float(digits)
    return int(digits)


def is_writable(text: str) -> bool:
    """Whether it can be written as UTF-8: half a character, a lone surrogate, cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def writable(text: str) -> str:
    """The text, with a question mark for each half of a character; nearly always the text itself."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def storable(text: str) -> str:
    """Text that every database takes: writable, and without the character U+0000."""
    return writable(text.replace("\0", ""))


def nfkc(text: str) -> str:
    """The text in normal form NFKC. Of the marks on one letter, those beyond the thirtieth are left out.

    `unicodedata.normalize` sorts them in time that grows with the square of their number: 80,000 take five seconds.
    """
    return unicodedata.normalize("NFKC", with_few_marks(text))


def with_few_marks(text: str) -> str:
    """The text without the marks on a letter beyond the thirtieth; nearly always the text itself."""
    if text.isascii():
        return text
    may_be, are = _many_marks()
    return are.sub(lambda found: found[0][:_MOST_MARKS], text) if may_be.search(text) else text


@lru_cache(maxsize=1)
def _many_marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may be a run of too many marks, and what is one. Made when first needed, as it takes some milliseconds.

    The first is twenty times as quick: it knows single characters of the basic plane only.
    """
    marks = [chr(code) for code in range(_FIRST_MARK, _AFTER_LAST_MARK) if unicodedata.combining(chr(code))]
    basic = "".join(mark for mark in marks if ord(mark) < _AFTER_BASIC) + _MARKS_IN_DISGUISE
    others = f"{chr(_AFTER_BASIC)}-{chr(_AFTER_LAST_MARK)}"
    every = "".join(marks) + _MARKS_IN_DISGUISE
    return re.compile(f"[{basic}{others}]{{{_MOST_MARKS + 1}}}"), re.compile(f"[{every}]{{{_MOST_MARKS + 1},}}+")

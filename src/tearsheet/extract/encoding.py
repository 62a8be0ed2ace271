"""The character encoding of a page: by byte order mark, HTTP, the page's own declaration, or detection. Never assumes Latin-1."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,400}?\b(?:charset|encoding)\s*+=\s*+["']?+\s*+([\w.:+-]{2,40})""", re.IGNORECASE
)
_DECLARATION_BYTES = 4096
_DETECTION_BYTES = 131_072
_PIECE = 16_384
_GOOD_FOR_BAD = 20
"""An encoding that fails on some bytes is still right if it reads this many other non-ASCII characters for each of them."""
_WIDER = {"gbk": "gb18030", "gb2312": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
"""Browsers read these labels as their supersets, and pages rely on it."""


def decode(data: bytes, charset: str | None = None) -> tuple[str, str]:
    """The text of a page and the encoding it was read in. `charset` is what the HTTP header states, if anything.

    A stated encoding that the bytes contradict is ignored: one that cannot read them, or a single-byte one when they are
    clearly UTF-8. Bytes that cannot be read become U+FFFD; this never raises.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(name, "replace"), name
    utf8 = _read(data, "utf-8")
    plainly_utf8 = utf8 is not None and not data.isascii()
    for label in (charset, declared_charset(data)):
        stated = codec_name(label)
        text = utf8 if stated == "utf-8" else _read(data, stated) if stated else None
        if stated is None or text is None:
            continue
        if plainly_utf8 and stated != "utf-8" and (_is_single_byte(stated) or "\ufffd" in text):
            continue
        return text, stated
    if utf8 is not None:
        return utf8, "utf-8"
    detected = codec_name(detect_encoding(data, _DETECTION_BYTES)) or "utf-8"
    return data.decode(detected, "replace"), detected


def as_utf8(data: bytes, charset: str | None = None) -> tuple[bytes, str]:
    """The page in UTF-8, and the encoding it was read in (see `decode`)."""
    stated = codec_name(charset) or codec_name(declared_charset(data))
    if stated == "utf-8" and _is_utf8(data) and not data.startswith(codecs.BOM_UTF8):
        return data, stated
    text, encoding = decode(data, charset)
    return text.encode("utf-8", "replace"), encoding


def _is_utf8(data: bytes) -> bool:
    """Whether these bytes are UTF-8, apart from a character cut off at the end. Read in small pieces, to save memory."""
    read = codecs.getincrementaldecoder("utf-8")("strict").decode
    view = memoryview(data)
    try:
        for start in range(0, len(view), _PIECE):
            read(view[start : start + _PIECE])
    except UnicodeError:
        return False
    return True


def declared_charset(data: bytes) -> str | None:
    """The encoding that the page itself names near its top, in a `meta` element or an XML declaration."""
    found = _DECLARED.search(data, 0, _DECLARATION_BYTES)
    if not found:
        return None
    label = found[1].decode("ascii", "replace")
    # If an ASCII declaration can be read in the bytes, they are not UTF-16, whatever it says.
    return "utf-8" if label.lower().startswith("utf-16") else label


@lru_cache(maxsize=256)
def codec_name(label: str | None) -> str | None:
    """The codec for a label found on the web, as browsers understand it; None if no text codec matches."""
    if not label:
        return None
    label = label.strip().strip("\"'").lower()
    if not re.fullmatch(r"[\w.:+-]{2,40}", label):
        return None
    try:
        # Only what browsers know: base64, idna and the like are codecs too, and a page must not choose one.
        name = codecs.lookup(map_encoding_to_html5(label, fallback_utf8=False) or "").name
    except (LookupError, ValueError):
        return None
    return _WIDER.get(name, name)


def _read(data: bytes, name: str) -> str | None:
    """The text, or None if these bytes are not in this encoding. A character cut off at the end is not an error."""
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(data)
    except (UnicodeError, LookupError):
        text = data.decode(name, "replace")
    bad = text.count("\ufffd")
    return text if len(text) - len(text.encode("ascii", "ignore")) > bad * (_GOOD_FOR_BAD + 1) else None


@lru_cache(maxsize=64)
def _is_single_byte(name: str) -> bool:
    try:
        return len(bytes(range(0xA1, 0xFF)).decode(name, "replace")) == 0xFF - 0xA1
    except (UnicodeError, LookupError):
        return False

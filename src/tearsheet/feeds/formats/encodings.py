"""The encoding of a feed: declared rightly, declared wrongly, or not declared at all."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding

_DECLARED = re.compile(rb"<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_HEAD, _DETECTED_BYTES = 4096, 131_072
_ODD_CODECS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7"})
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"), (b"<\0\0\0", "utf-32-le"), (b"\0\0\0<", "utf-32-be"), (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)  # fmt: skip
_EBCDIC = b"\x4c\x6f\xa7\x94"
"""`<?xm`, as mainframes write it."""
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-1": "cp1252",
}
"""What calls itself one of these is read as its superset, as browsers do."""
_LATIN = frozenset({"cp1252", "iso8859-15", "ascii"})
_TAGS = re.compile(rb"<[^<>]{0,1000}>")
_FOREIGN = re.compile(rb"[\x80-\xff]")
_RUN = re.compile(rb"[\x80-\xff]{4,}")
"""In Latin letters, four letters with accents hardly ever follow one another."""
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_NARROW = {
    "koi8-r": "\u0400-\u04ff", "koi8-u": "\u0400-\u04ff", "cp1251": "\u0400-\u04ff", "iso8859-5": "\u0400-\u04ff",
    "cp866": "\u0400-\u04ff", "mac-cyrillic": "\u0400-\u04ff", "cp1253": "\u0370-\u03ff", "iso8859-7": "\u0370-\u03ff",
    "cp1255": "\u0590-\u05ff", "iso8859-8": "\u0590-\u05ff", "cp1256": "\u0600-\u06ff", "iso8859-6": "\u0600-\u06ff",
    "cp874": "\u0e00-\u0e7f", "iso8859-11": "\u0e00-\u0e7f", "tis-620": "\u0e00-\u0e7f",
}  # fmt: skip
"""The letters that one byte stands for, by encoding."""
_BY_COUNTRY = {"iso8859-3": "cp1254", "iso8859-9": "cp1254", "iso8859-8": "cp1255", "iso8859-7": "cp1253"}
"""What a detection says, and what is used on the web in its place."""
_OTHER_LATIN = frozenset({"cp1250", "iso8859-2", "cp1254", "cp1257", "iso8859-4", "iso8859-13", "iso8859-16", "cp1258"})
_ENOUGH = 12
"""With fewer letters that are not ASCII, nothing can be said about a language in Latin letters."""
_SHARE = 0.6


def decode(body: bytes, charset: str | None = None) -> str:
    """The text: by its mark, as UTF-8 if it clearly is, as HTTP and the document say, else by what its bytes look like.

    Where nothing fits, it is UTF-8 mixed with Windows-1252, as programs write that join texts of two origins. Never raises.
    """
    if body.startswith(codecs.BOM_UTF8):
        return body[3:].decode("utf-8", "tearsheet-cp1252")
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").removeprefix("\ufeff")
    if body.startswith(_EBCDIC):
        declared = declared_encoding(body[:_HEAD].decode("cp037").encode("ascii", "replace"))
        return body.decode(declared or "cp037", "replace")
    if not body.isascii():
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    for stated in (text_codec(charset or ""), declared_encoding(body)):
        if stated and stated not in ("utf-8", "ascii") and not (stated in _LATIN and misread_as_latin(body)):
            return body.decode(stated, "replace")
    detected = looks_like(body)
    return body.decode(detected, "replace") if detected else body.decode("utf-8", "tearsheet-cp1252")


def contradicted(body: bytes) -> str | None:
    """The encoding of a document that declares another one, which could read it and is wrong all the same.

    That is UTF-8 where all of it is UTF-8, since such sequences do not occur by accident, or whatever a document in Latin-1 looks
    like that has hardly a Latin letter.
    """
    declared = declared_encoding(body)
    if declared is None or declared == "utf-8" or declared.startswith(("utf-16", "utf-32")) or body.isascii():
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return looks_like(body) if declared in _LATIN and misread_as_latin(body) else None
    return "utf-8"


def declared_encoding(body: bytes) -> str | None:
    """The codec that the document itself names at its beginning; None if it names none that we have."""
    found = _DECLARED.search(body, 0, _HEAD)
    return text_codec(found[1].decode("ascii")) if found else None


@lru_cache(maxsize=256)
def text_codec(name: str) -> str | None:
    """The codec of a name, which is a stranger's; None if it is no encoding of text."""
    try:
        info = codecs.lookup(name.strip("\"' "))
    except (LookupError, ValueError):
        return None
    if info.name in _ODD_CODECS or not getattr(info, "_is_text_encoding", True):
        return None
    return _WIDER.get(info.name, info.name)


def misread_as_latin(body: bytes) -> bool:
    """Whether the bytes beyond ASCII stand together as letters of another script do, and not as accents stand among letters."""
    foreign = len(_FOREIGN.findall(body, 0, _DETECTED_BYTES))
    return foreign > 0 and sum(map(len, _RUN.findall(body, 0, _DETECTED_BYTES))) > foreign / 2


def looks_like(body: bytes) -> str | None:
    """The encoding that these bytes are in by their looks; None if they are in UTF-8 or Windows-1252, or in both."""
    text = _TAGS.sub(b" ", body[:_DETECTED_BYTES])
    found = text_codec(detect_encoding(text, _DETECTED_BYTES) or "") or ""
    found = _BY_COUNTRY.get(found, found)
    for name in (found, "cp949") if found in ("", "utf-8", "ascii") else (found,):  # it does not know Korean
        if name in ("euc_jp", "cp932", "cp949", "gb18030", "big5hkscs", "euc_jis_2004") and _is_mostly(
            text, name, _WIDE
        ):
            return name
    if found in _NARROW:
        return found if _is_mostly(text, found, re.compile(f"[{_NARROW[found]}]")) else None
    return found if found in _OTHER_LATIN and len(_FOREIGN.findall(text)) >= _ENOUGH else None


def _is_mostly(text: bytes, name: str, letters: re.Pattern[str]) -> bool:
    """Whether most characters beyond ASCII are these letters, in this encoding."""
    read = text.decode(name, "replace")
    foreign = len(read) - len(read.encode("ascii", "ignore"))
    return len(letters.findall(read)) >= _SHARE * foreign > 0


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


codecs.register_error("tearsheet-cp1252", _as_cp1252)

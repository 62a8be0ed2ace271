"""Titles: as people read them, and as stories are compared by them."""

from __future__ import annotations

import hashlib
import re

from tearsheet.foreign_text import unescape

MAX_TITLE = 1024
_MAX_MARKUP = 64 * MAX_TITLE
"""How much of a title is read, with its markup."""
_TAG = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|blink|blockquote|br|center|cite|code|del|div|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|nobr|ol|p|pre|q|s|"
    r"samp|small|span|strike|strong|sub|sup|table|tbody|td|tr|tt|u|ul|var|wbr)(?:\s[^<>]*|/)?>",
    re.IGNORECASE,
)
_ACTIVE = re.compile(
    r"</?(?:applet|audio|body|button|embed|form|frame|frameset|head|html|iframe|input|link|marquee|meta|noscript|object|param|picture|"
    r"script|source|style|svg|title|video)(?:\s[^<>]*|\s*/?)>|<!(?:doctype|--)[^<>]*>|<!--\s*$",
    re.IGNORECASE,
)
"""What makes a title more than words; in a title *about* it, it has neither an attribute nor an end."""
_UNSEEN = re.compile(r"<!--|<(script|style)\b[^<>]*>", re.IGNORECASE)
"""Where something begins that is never shown, with all that is in it."""
_SEEN_AGAIN = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("script", "style")} | {
    "": re.compile("-->")
}
_ENDED = re.compile(r"</|\s[\w-]+\s*=|<!")
_HAS_C1 = re.compile("[\x80-\x9f]")
_C1 = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
_ANY_TAG = re.compile(r"<[^<>]*>")
_ENTITY = re.compile(r"&[#\w]{1,32};?")


def plain_title(text: str) -> str | None:
    """A title without markup, entities, NULs and repeated spaces; None when nothing is left.

    Only some HTML tags are removed: `a < b` and `the <canvas> tag` stay as they are. Text that was encoded twice on its
    way is repaired.
    """
    text = text[:_MAX_MARKUP]
    if not text.isascii():
        text = _decoded_once_more(text)
    if "<" in text or "&" in text:
        text = unescape(_without_markup(text))
        if "&" in text or "<" in text:
            text = unescape(_without_markup(text))  # escaped twice
    return " ".join(text.replace("\0", "").split())[:MAX_TITLE] or None


def _without_markup(text: str) -> str:
    if "<" not in text:
        return text
    if _ENDED.search(text):
        text = _ACTIVE.sub("", _without_unseen(text))
    return _TAG.sub("", text)


def _without_unseen(text: str) -> str:
    """The text without comments, scripts and styles; in one, the beginning of another is nothing."""
    kept, shown, at = list[str](), 0, 0
    endless: set[str] = set()  # of these there is no end any more, so that none is looked for in vain again
    while begin := _UNSEEN.search(text, at):
        name, at = (begin[1] or "").lower(), begin.end()
        end = None if name in endless else _SEEN_AGAIN[name].search(text, at)
        if end is None:
            endless.add(name)
        else:
            kept.append(text[shown : begin.start()])
            shown = at = end.end()
    return "".join(kept) + text[shown:]


def _decoded_once_more(text: str) -> str:
    """`Ã³` is an `ó` that was taken for Latin-1, and a C1 control is a character of Windows-1252."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text.translate(_C1) if _HAS_C1.search(text) else text


def normalized_title(title: str) -> str:
    """The form in which two titles of one story are equal: lower case, no markup, entities or outer punctuation, single spaces."""
    text = _ANY_TAG.sub("", title) if "<" in title else title
    text = _ENTITY.sub(" ", text) if "&" in text else text
    text = " ".join(text.split()).lower()
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    return text[start:end][:MAX_TITLE]


def title_hash(normalized: str) -> str:
    """The key by which titles are compared: MD5, as in the original; security does not depend on it."""
    return hashlib.md5(normalized.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()

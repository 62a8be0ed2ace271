"""Lines of a META file: `MD5 URL ID KIND LANGUAGE`, and every variation of that by old writers.

A line is read from both ends, because URLs with blanks were once written as they were: the first field is the digest, the
last three are id, kind and language, and what is between is the URL. If that is ambiguous, the digest decides.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

KINDS = ("url", "rss", "rssitem")
UNKNOWN_LANGUAGE = "und"
UNKNOWN_ID = "0"
_MD5 = re.compile(r"[0-9a-f]{32}")
_LANGUAGE = re.compile(r"[a-z]{2}")
_UNWRITABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(slots=True)
class MetaLine:
    """One page as named in a META file."""

    md5: str
    """The name of its folder, as recorded."""
    url: str
    """As written in the file, without surrounding blanks."""
    page_id: str | None = None
    kind: str | None = None
    language: str | None = None
    number: int = 0
    """The number of its (first) line in the file."""
    raw: tuple[str, ...] = ()
    """The line or lines that it was read from."""
    problems: list[str] = field(default_factory=list)

    @property
    def migrated(self) -> bool:
        """Whether it has all five fields."""
        return self.kind is not None

    @property
    def key(self) -> str:
        """The URL as this program writes it."""
        return encode_url(self.url)

    def text(self) -> str:
        """The line as this program writes it; only the two original fields when the others are not known."""
        if self.kind is None:
            return f"{self.md5} {self.key}"
        return f"{self.md5} {self.key} {self.page_id} {self.kind} {self.language}"


def encode_url(url: str) -> str:
    """A URL made safe for a META line: no blanks around it, and those inside percent-encoded."""
    return _UNWRITABLE.sub(lambda found: "".join(f"%{byte:02X}" for byte in as_bytes(found[0])), url.strip())


def url_md5(url: str) -> str:
    """The name of a page's folder: the MD5 of its URL as written in META."""
    return md5_hex(encode_url(url))


def md5_hex(text: str) -> str:
    """MD5 in hexadecimal, used as a name and not for security."""
    return hashlib.md5(as_bytes(text), usedforsecurity=False).hexdigest()


def as_bytes(text: str) -> bytes:
    """Text as UTF-8; bytes of META files that are not UTF-8 come back as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def is_md5(text: str) -> bool:
    """Whether text can be the name of a page's folder."""
    return _MD5.fullmatch(text) is not None


def clean_language(language: str | None) -> str:
    """Two lower-case letters, or `und` when the language is not known."""
    short = (language or "").strip().lower()[:2]
    return short if _LANGUAGE.fullmatch(short) else UNKNOWN_LANGUAGE


def clean_id(page_id: object) -> str:
    """A page id without blanks; `0` when there is none."""
    text = "" if page_id is None else str(page_id)
    return text if text and not _UNWRITABLE.search(text) else UNKNOWN_ID


@dataclass(slots=True)
class MetaFile:
    """The lines of a META file, and those that cannot be used."""

    lines: list[MetaLine] = field(default_factory=list)
    strays: list[tuple[int, str]] = field(default_factory=list)
    """Lines that name no page, with their numbers. They are kept whenever a file is rewritten."""
    blanks: int = 0


def parse_meta(text: str) -> MetaFile:
    """Read a META file of any age. Nothing in it raises."""
    found = MetaFile()
    waiting: tuple[int, str] | None = None  # a digest on its own: its URL is on the next line
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # what follows the last line break is not a line
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if not parts:
            found.blanks += 1
            continue
        if waiting is not None and not is_md5(parts[0]):
            page = read_fields([waiting[1].split()[0], *parts], line.strip())
            page.number, page.raw = waiting[0], (waiting[1], line)
            page.problems.append("a line break between digest and URL")
            found.lines.append(page)
            waiting = None
            continue
        if waiting is not None:
            found.strays.append(waiting)
            waiting = None
        if not is_md5(parts[0]):
            found.strays.append((number, line))
        elif len(parts) == 1:
            waiting = (number, line)
        else:
            page = read_fields(parts, line.strip().partition(parts[0])[2].strip())
            page.number, page.raw = number, (line,)
            found.lines.append(page)
    if waiting is not None:
        found.strays.append(waiting)
    return found


def read_fields(parts: list[str], rest: str) -> MetaLine:
    """A page from the fields of its line. `rest` is the line after the digest, with its blanks as they are."""
    md5 = parts[0]
    if len(parts) == 2:
        return _checked(MetaLine(md5, parts[1]))
    url = rest.rsplit(None, 3)[0] if len(parts) >= 5 else ""
    is_old = _matches(md5, rest)
    is_new = bool(url) and (parts[-2] in KINDS or _matches(md5, url) or len(parts) == 5)
    if is_new and not is_old:
        return _checked(MetaLine(md5, url, parts[-3], parts[-2], parts[-1]))
    return _checked(MetaLine(md5, rest))


def _matches(md5: str, url: str) -> bool:
    return md5 in (md5_hex(url), url_md5(url), md5_hex(url + "\n"))


def _checked(page: MetaLine) -> MetaLine:
    page.problems += problems_of(page)
    return page


def problems_of(page: MetaLine) -> Iterable[str]:
    """What is odd about a page's line."""
    if page.kind is None:
        yield "id, kind and language are missing"
    elif page.kind not in KINDS:
        yield f"unknown kind {page.kind!r}"
    if page.language is not None and not (_LANGUAGE.fullmatch(page.language) or page.language == UNKNOWN_LANGUAGE):
        yield f"unknown language {page.language!r}"
    if _UNWRITABLE.search(page.url):
        yield "blanks inside the URL"
    if page.md5 == md5_hex(page.url + "\n"):
        yield "the digest is of the URL with a line break"
    elif page.md5 not in (md5_hex(page.url), url_md5(page.url)):
        yield "the digest is not of this URL"

"""Makes pages harmless that would keep the parser busy for minutes or fill the memory, before the parser sees them.

The parser's work grows with the square of the nesting depth, of the number of attributes of an element, and of the number of
different element and attribute names; and it copies each open `font`, `b` or the like into every paragraph that follows, so that
a page of a few hundred kilobytes can become many gigabytes. Nothing that people read comes near these limits.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

MAX_DEPTH = 1000
"""How deep elements may be nested in a page with very many tags; browsers allow half as much."""
_MANY_TAGS, _MAX_TAGS = 8000, 250_000
_MAX_SEARCHED = 50_000_000
"""How many open elements the parser may have to search in total: for many tags it searches all of them."""
_MAX_CLOSED = 100
_MAX_COPIES = 2_000_000
_MAX_ATTRIBUTES = 500
_LONG_TAG = 2_000
_MANY_NAMES, _SAFE_SIZE = 30_000, 200_000
"""How many different names a long page may have: twice what real pages have at most, and about a second for the parser."""
_WITHOUT_EVENTS = LexborDocumentOptions.WO_EVENTS.value
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)")
_EMPTY_TAG = re.compile(rb"""<[a-zA-Z][^\s/>"'=]*(?:\s+[\w:.-]+=(?:"[^"]*"|'[^']*'))*\s*/>""")
_WHOLE_TAG = re.compile(rb"<[a-zA-Z/!][^>]*")
_TO_BLANKS = bytes.maketrans(b"<>/=\"'", b"      ")
_BETWEEN_NAMES = bytes(byte in b"\t\n\f\r <>/=\"'" for byte in range(256))
_COPIED = re.compile(
    rb"</?(?=[biusetcfnhBIUSETCFNH])(?:b(?:ig|ody)?|i|u|s(?:mall|tr(?:ike|ong))?|em|tt|code|font|nobr|html)(?:[\s/][^>]*)?>",
    re.IGNORECASE,
)
"""Elements that the parser copies, and those whose attributes it merges."""
_NOT_NESTED = frozenset(
    b"""
    area base br col embed hr img input link meta param source track wbr p li td th tr dd dt thead tbody tfoot colgroup caption
    body html head
    """.split()
)
"""Elements that are empty, or that the next of their kind closes: in HTML, not in SVG or MathML."""
_FOREIGN = (b"svg", b"math")
_BARRIERS = frozenset(b"table object marquee applet template select svg math".split())
"""Elements inside which nothing opened outside can be closed."""


def parse(page: bytes, *, scripting: bool = True) -> LexborHTMLParser:
    """The tree of a page in UTF-8. With `scripting`, what is meant for readers without scripts is not part of it."""
    return LexborHTMLParser(tame(page), options=_WITHOUT_EVENTS, scripting=scripting)


def tame(page: bytes) -> bytes:
    """The page without what makes parsing it expensive; nearly always the page itself."""
    # At worst, half of all tags are open and the other half are where they are copied to.
    tags = page.count(b"<")
    if tags * tags > 4 * _MAX_COPIES and len(_COPIED.findall(page)) * tags > 4 * _MAX_COPIES:
        page = _COPIED.sub(b" ", page)
    if tags > _MANY_TAGS:
        page = _without_abyss(page)
    if len(page) > _SAFE_SIZE and _most_names(page) > _MANY_NAMES:
        page = _without_endless_names(page)
    return _without_endless_tags(page)


def _without_abyss(page: bytes) -> bytes:
    """Cut the page off where it has too many elements, nests them too deep, or makes the parser search too much."""
    opened: list[bytes] = []
    foreign = work = 0
    for number, found in enumerate(_TAG.finditer(page)):
        work += len(opened)
        if number > _MAX_TAGS or work > _MAX_SEARCHED or len(opened) > MAX_DEPTH:
            return page[: found.start()]
        name = found[2].lower()
        if name in _NOT_NESTED and not foreign:
            continue
        if found[1]:
            _close(opened, name)
            foreign = foreign if len(opened) >= foreign else 0
        elif not (foreign and _EMPTY_TAG.match(page, found.start())):
            opened.append(name)
            if name in _FOREIGN and not foreign:
                foreign = len(opened)
    return page


def _close(opened: list[bytes], name: bytes) -> None:
    """Close an element and everything open inside it, if it can be closed here."""
    for i in range(len(opened) - 1, max(-1, len(opened) - _MAX_CLOSED - 1), -1):
        if opened[i] == name:
            del opened[i:]
            return
        if opened[i] in _BARRIERS:
            return


def _most_names(page: bytes) -> int:
    """How many names the tags of a page can have at most: it is ten times quicker to count where any word begins."""
    return page.translate(_BETWEEN_NAMES).count(b"\1\0")


def _without_endless_names(page: bytes) -> bytes:
    """Cut off a long page whose tags have too many different names."""
    names = b" ".join(_WHOLE_TAG.findall(page)).translate(_TO_BLANKS).split()
    return page if len(names) <= _MANY_NAMES or len(set(names)) <= _MANY_NAMES else page[:_SAFE_SIZE]


def _without_endless_tags(page: bytes) -> bytes:
    """Leave out tags with hundreds of attributes."""
    step = _LONG_TAG // 2
    parts, done, at = [], 0, step
    while at < len(page):
        # Anywhere in a page, a tag ends soon, so nearly all of these searches are short.
        if page.find(b">", at - step, at) >= 0:
            at += step
            continue
        start, end = page.rfind(b">", 0, at - step) + 1, page.find(b">", at)
        end = len(page) if end < 0 else end
        tag = page.find(b"<", start, end)
        if tag >= 0 and len(page[tag:end].translate(_TO_BLANKS).split(None, _MAX_ATTRIBUTES)) > _MAX_ATTRIBUTES:
            parts += [page[done:tag], b"<br"]
            done = end
        at = end + step
    return b"".join([*parts, page[done:]]) if parts else page

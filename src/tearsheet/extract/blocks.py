"""A page cut into blocks of text: one for each paragraph, heading, list item or cell, and the elements they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MENU_ITEM = 40
"""A link alone that is shorter than this is no block, unless it may be a date: a third of all would be such, and hardly any
belongs to an article."""
_DIGIT = re.compile(r"\d")
MAX_NODES = 250_000
MAX_BLOCKS = 8_000
MAX_CONTAINERS = 60_000

TEXT, BREAK, LINK, BOLD, SLANTED, PLAIN, IMAGE, SKIP, ASIDE_SKIP = range(9)
"""What an element means for the cut; greater numbers are containers."""
FIRST_CONTAINER = 9
CONTAINER_TAGS = (
    "other p div li h1 h2 h3 h4 h5 h6 td th blockquote figcaption pre dd dt article section header aside main ul ol table figure "
    "form body tr tbody center details summary address dl fieldset label caption footer nav hgroup".split()
)
"""Elements that hold blocks, by their number less FIRST_CONTAINER. `other` is everything that is not named anywhere."""
TAG_NUMBER = {name: number for number, name in enumerate(CONTAINER_TAGS)}

AROUND_TAGS = "article main section aside header ul ol table figure blockquote form li dl details".split()
_AROUND_BITS = [1 << AROUND_TAGS.index(name) if name in AROUND_TAGS else 0 for name in CONTAINER_TAGS]

_KINDS = {
    BREAK: "br hr",
    LINK: "a",
    BOLD: "b strong",
    SLANTED: "em i",
    IMAGE: "img picture",
    PLAIN: """
        abbr acronym bdi bdo big cite code data del dfn font ins kbd mark nobr output q rb rp rt ruby s samp small span strike sub
        sup time tt u var wbr
        """,
    SKIP: """
        script style template iframe svg math object embed canvas audio video select option textarea button input datalist map
        head meta link base title param source track frameset noframes applet progress meter dialog
        """,
    ASIDE_SKIP: "nav footer noscript",
}
INLINE = frozenset(name for kind in (LINK, BOLD, SLANTED, PLAIN) for name in _KINDS[kind].split())
"""Elements that do not break the text around them."""
_NAMED = frozenset("class id itemprop role data-testid data-component data-module data-qa data-type aria-label".split())
"""Attributes whose words tell what an element is for."""
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Blocks:
    """The blocks of a page in order, and its containers in the order in which they open; a column a list."""

    text: list[str] = field(default_factory=list)
    link_length: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    bold_length: list[int] = field(default_factory=list)
    slanted_length: list[int] = field(default_factory=list)
    images: list[int] = field(default_factory=list)
    """Pictures since the block before."""
    dropped: list[int] = field(default_factory=list)
    """Characters of the items of menus that stood since the block before: too short to be blocks, and nothing but a link."""
    inline_name: list[str] = field(default_factory=list)
    """What the first inline element of the block is called, if the block begins with it."""
    container: list[int] = field(default_factory=list)

    parent: list[int] = field(default_factory=list)
    tag: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    """The tag and the words of class, id and their like, as written."""
    first: list[int] = field(default_factory=list)
    """The container's first block, and behind its last."""
    last: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    around: list[int] = field(default_factory=list)
    """Which of AROUND_TAGS the container is or stands in, a bit for each."""


@lru_cache(maxsize=1)
def _tag_kinds() -> dict[int, int]:
    """Kind by the parser's own number of a tag, which is read from the parser so that no release of it can break us."""
    kinds = {
        name: FIRST_CONTAINER + number
        for number, name in enumerate(CONTAINER_TAGS)
        if name not in ("other", "nav", "footer")
    }
    kinds |= {name: kind for kind, words in _KINDS.items() for name in words.split()}
    tree = LexborHTMLParser("<p>")
    found = {tree.create_node(name).tag_id: kind for name, kind in kinds.items()}
    found[2] = TEXT
    assert tree.body is not None
    return found


def cut(body: LexborNode, *, everything: bool = False) -> Blocks:
    """Cut a page into blocks. With `everything`, also navigation, page footers and what is for readers without scripts.

    Iterative and limited in what it reads: a page may be nested without end.
    """
    out = Blocks()
    kinds = _tag_kinds()
    if everything:
        kinds = kinds | {k: FIRST_CONTAINER for k, v in kinds.items() if v == ASIDE_SKIP}
    texts, parents, tags, firsts, lasts = out.text, out.parent, out.tag, out.first, out.last
    parts: list[str] = []
    stack: list[tuple[LexborNode, int, int]] = []
    """Open elements: node, kind, and for containers their number."""
    link_depth = bold_depth = slant_depth = 0
    link_length = bold_length = slant_length = link_count = images = breaks = nodes = dropped = 0
    inline_name = ""

    elements = [body]
    depths, arounds = out.depth, out.around
    depths.append(0)
    arounds.append(0)
    parents.append(0)
    tags.append(TAG_NUMBER["body"])
    firsts.append(0)
    lasts.append(0)
    here = 0

    def flush() -> None:
        nonlocal link_length, bold_length, slant_length, link_count, images, inline_name, dropped
        text = " ".join("".join(parts).split())
        parts.clear()
        if text and len(text) < _MENU_ITEM and link_length >= len(text) and not _DIGIT.search(text):
            dropped += len(text)
        elif text:
            texts.append(text)
            out.dropped.append(dropped)
            dropped = 0
            out.link_length.append(link_length)
            out.links.append(link_count)
            out.bold_length.append(bold_length)
            out.slanted_length.append(slant_length)
            out.images.append(images)
            out.inline_name.append(inline_name)
            out.container.append(here)
            images = 0
        link_length = bold_length = slant_length = 0
        link_count = 1 if link_depth else 0
        inline_name = ""

    node = body.first_child
    while True:
        if node is None:
            if not stack:
                break
            node, kind, number = stack.pop()
            if kind >= FIRST_CONTAINER:
                if parts:
                    flush()
                lasts[here] = len(texts)
                here = number
            elif kind == LINK:
                link_depth -= 1
            elif kind == BOLD:
                bold_depth -= 1
            elif kind == SLANTED:
                slant_depth -= 1
            node = node.next
            continue
        nodes += 1
        kind = kinds.get(node.tag_id, FIRST_CONTAINER)
        if kind == TEXT:
            text = node.text_content or ""
            if not text.isspace():
                length = len(text)
                parts.append(text)
                breaks = 0
                if link_depth:
                    link_length += length
                if bold_depth:
                    bold_length += length
                if slant_depth:
                    slant_length += length
            elif parts:
                parts.append(" ")
        elif kind >= FIRST_CONTAINER:
            if parts:
                flush()
            child = node.first_child
            if child is not None and len(elements) < MAX_CONTAINERS:
                stack.append((node, kind, here))
                parents.append(here)
                depths.append(depths[here] + 1)
                arounds.append(arounds[here] | _AROUND_BITS[kind - FIRST_CONTAINER])
                here = len(elements)
                tags.append(kind - FIRST_CONTAINER)
                elements.append(node)
                firsts.append(len(texts))
                lasts.append(len(texts))
                breaks = 0
                node = child
                continue
        elif kind == BREAK:
            breaks += 1
            if breaks > 1 and parts:
                flush()
            else:
                parts.append("\n")
        elif kind == IMAGE:
            images += 1
        elif kind < SKIP:
            child = node.first_child
            if child is not None:
                stack.append((node, kind, 0))
                if kind == LINK:
                    link_depth += 1
                    link_count += 1
                elif kind == BOLD:
                    bold_depth += 1
                elif kind == SLANTED:
                    slant_depth += 1
                if not parts and not inline_name:
                    inline_name = _name(node, "inline")
                node = child
                continue
        if nodes > MAX_NODES or len(texts) >= MAX_BLOCKS:
            break
        node = node.next
    if parts:
        flush()
    for number in (*(n for _, kind, n in stack if kind >= FIRST_CONTAINER), here):
        lasts[number] = len(texts)
    lasts[0] = len(texts)
    # Half of all elements hold no text: their names would be read for nothing.
    out.name = [
        _name(e, CONTAINER_TAGS[t]) if a < b else "" for e, t, a, b in zip(elements, tags, firsts, lasts, strict=True)
    ]
    return out


def _name(node: LexborNode, tag: str) -> str:
    attributes = node.attributes
    if not attributes:
        return tag
    words = [tag]
    for key, value in attributes.items():
        if value and key in _NAMED:
            words.append(value)
        elif key == "hidden" or (key == "style" and value and _HIDDEN.search(value)):
            words.append("hidden-element")
    return " ".join(words)

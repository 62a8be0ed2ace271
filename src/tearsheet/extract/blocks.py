"""A page cut into blocks of text: one for each paragraph, heading, list item or cell, and the elements they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MENU_ITEM = 40
"""A link alone that is shorter than this is no block, unless it may be a date: a third of all would be such, and hardly any
belongs to an article."""
_DIGIT = re.compile(r"\d")
MAX_STEPS = 500_000
"""Elements opened and closed, and texts: no article has as many."""
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
    """The blocks of a page in order, and the containers that hold them in the order in which they open; a column a list."""

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


class _Cutter:
    """The block that is being read, and those before it.

    Half of all containers hold no text, so that each is written down only with the first block in it.
    """

    __slots__ = (
        "begins_with", "blocks", "bold_length", "dropped", "full", "here", "link_count", "link_length", "opened", "parts",
        "pictures", "slanted_length", "written",
    )  # fmt: skip

    def __init__(self, body: LexborNode) -> None:
        self.blocks = Blocks(parent=[0], tag=[TAG_NUMBER["body"]], first=[0], last=[0], depth=[0], around=[0])
        self.blocks.name.append(_name(body, "body"))
        self.opened: list[tuple[LexborNode, int]] = []
        """The containers around this place, the body apart; `written` of them, the last of which is `here`, are in `blocks`."""
        self.written = self.here = 0
        self.parts: list[str] = []
        self.link_length = self.bold_length = self.slanted_length = self.link_count = self.pictures = self.dropped = 0
        self.begins_with = ""
        self.full = False

    def flush(self, link_depth: int) -> None:
        """End the block, if there is one."""
        text = "".join(self.parts).strip()
        # To find out that there is nothing to tidy takes a third of the time of doing it.
        if "  " in text or not text.isprintable():
            text = " ".join(text.split())
        self.parts.clear()
        size = len(text)
        if size >= _MENU_ITEM or self.link_length < size or _DIGIT.search(text):
            if self.written < len(self.opened):
                self._write_opened()
            out = self.blocks
            out.text.append(text)
            out.dropped.append(self.dropped)
            out.link_length.append(self.link_length)
            out.links.append(self.link_count)
            out.bold_length.append(self.bold_length)
            out.slanted_length.append(self.slanted_length)
            out.images.append(self.pictures)
            out.inline_name.append(self.begins_with)
            out.container.append(self.here)
            self.pictures = self.dropped = 0
            self.full = len(out.text) >= MAX_BLOCKS or len(out.parent) >= MAX_CONTAINERS
        else:
            self.dropped += size
        self.link_length = self.bold_length = self.slanted_length = 0
        self.link_count = 1 if link_depth else 0
        self.begins_with = ""

    def _write_opened(self) -> None:
        out = self.blocks
        here, block = self.here, len(out.text)
        depth, around = out.depth[here], out.around[here]
        for node, kind in self.opened[self.written :]:
            number = kind - FIRST_CONTAINER
            depth += 1
            around |= _AROUND_BITS[number]
            out.parent.append(here)
            out.tag.append(number)
            out.name.append(_name(node, CONTAINER_TAGS[number]))
            out.first.append(block)
            out.last.append(block)
            out.depth.append(depth)
            out.around.append(around)
            here = len(out.parent) - 1
        self.here, self.written = here, len(self.opened)

    def close(self) -> None:
        """Leave the container `here`."""
        self.blocks.last[self.here] = len(self.blocks.text)
        self.here = self.blocks.parent[self.here]
        self.written -= 1

    def finish(self) -> Blocks:
        """All blocks, those containers closed that are still open."""
        if self.parts:
            self.flush(0)
        while self.written:
            self.close()
        self.blocks.last[0] = len(self.blocks.text)
        return self.blocks


def cut(body: LexborNode, *, everything: bool = False) -> Blocks:
    """Cut a page into blocks. With `everything`, also navigation, page footers and what is for readers without scripts.

    Iterative and limited in what it reads: a page may be nested without end.
    """
    kinds = _tag_kinds()
    if everything:
        kinds = kinds | {k: FIRST_CONTAINER for k, v in kinds.items() if v == ASIDE_SKIP}
    kind_of = kinds.get
    out = _Cutter(body)
    parts = out.parts
    opened = out.opened
    stack: list[tuple[LexborNode, int]] = []
    """Open elements and their kinds; `opened` has the containers among them."""
    link_depth = bold_depth = slant_depth = breaks = 0
    node = body.first_child
    for _ in repeat(None, MAX_STEPS):
        if node is None:
            if not stack:
                break
            node, kind = stack.pop()
            if kind >= FIRST_CONTAINER:
                if parts:
                    out.flush(link_depth)
                    if out.full:
                        break
                if len(opened) == out.written:
                    out.close()
                opened.pop()
            elif kind == LINK:
                link_depth -= 1
            elif kind == BOLD:
                bold_depth -= 1
            elif kind == SLANTED:
                slant_depth -= 1
            node = node.next
            continue
        kind = kind_of(node.tag_id, FIRST_CONTAINER)
        if kind == TEXT:
            text = node.text_content or ""
            if not text.isspace():
                parts.append(text)
                breaks = 0
                if link_depth:
                    out.link_length += len(text)
                if bold_depth:
                    out.bold_length += len(text)
                if slant_depth:
                    out.slanted_length += len(text)
            elif parts:
                parts.append(" ")
        elif kind >= FIRST_CONTAINER:
            if parts:
                out.flush(link_depth)
                if out.full:
                    break
            child = node.first_child
            if child is not None:
                entry = (node, kind)
                stack.append(entry)
                opened.append(entry)
                breaks = 0
                node = child
                continue
        elif kind == BREAK:
            breaks += 1
            if breaks > 1 and parts:
                out.flush(link_depth)
                if out.full:
                    break
            else:
                parts.append("\n")
        elif kind == IMAGE:
            out.pictures += 1
        elif kind < SKIP:
            child = node.first_child
            if child is not None:
                stack.append((node, kind))
                if kind == LINK:
                    link_depth += 1
                    out.link_count += 1
                elif kind == BOLD:
                    bold_depth += 1
                elif kind == SLANTED:
                    slant_depth += 1
                if not parts and not out.begins_with:
                    out.begins_with = _name(node, "inline")
                node = child
                continue
        node = node.next
    return out.finish()


def _name(node: LexborNode, tag: str) -> str:
    attributes = node.attributes
    if not attributes:
        return tag
    if len(attributes) == 1 and (classes := attributes.get("class")):
        return f"{tag} {classes}"
    words = [tag]
    for key, value in attributes.items():
        if value and key in _NAMED:
            words.append(value)
        elif key == "hidden" or (key == "style" and value and _HIDDEN.search(value)):
            words.append("hidden-element")
    return " ".join(words)

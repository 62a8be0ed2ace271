"""A page cut into blocks of text: one for each paragraph, heading, list item or cell, and the elements around them."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MENU_ITEM = 40
"""A lone link shorter than this is not a block, unless it may be a date: a third of all blocks would be such links, and hardly
any of them belong to an article."""
_DIGIT = re.compile(r"\d")
MAX_STEPS = 500_000
"""Elements opened and closed, and texts: no article has as many."""
MAX_BLOCKS = 8_000
MAX_CONTAINERS = 60_000

TEXT, BREAK, IMAGE, SKIP, ASIDE_SKIP, LINK, BOLD, SLANTED, PLAIN = range(9)
"""What a node means for the cut. From LINK on, they are elements to enter; greater numbers are containers."""
FIRST_CONTAINER = 9
CONTAINER_TAGS = (
    "other p div li h1 h2 h3 h4 h5 h6 td th blockquote figcaption pre dd dt article section header aside main ul ol table figure "
    "form body tr tbody center details summary address dl fieldset label caption footer nav hgroup".split()
)
"""Elements that hold blocks, by their number minus FIRST_CONTAINER. `other` is everything not named anywhere."""
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
UNREAD = frozenset(name for kind in (IMAGE, SKIP, ASIDE_SKIP) for name in _KINDS[kind].split())
"""Elements whose text belongs to no block."""
_NAMED = frozenset("class id itemprop role data-testid data-component data-module data-qa data-type aria-label".split())
"""Attributes whose words tell what an element is for."""
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Blocks:
    """The blocks of a page in order, and the containers that hold them in the order they open; one list per column."""

    text: list[str] = field(default_factory=list)
    link_length: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    bold_length: list[int] = field(default_factory=list)
    slanted_length: list[int] = field(default_factory=list)
    images: list[int] = field(default_factory=list)
    """Pictures since the previous block."""
    dropped: list[int] = field(default_factory=list)
    """Characters of menu items since the previous block: lone links too short to be blocks."""
    inline_name: list[str] = field(default_factory=list)
    """The name of the block's first inline element, if the block starts with it."""
    container: list[int] = field(default_factory=list)

    parent: list[int] = field(default_factory=list)
    tag: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    """The tag and the words of class, id and the like, as written."""
    first: list[int] = field(default_factory=list)
    """The container's first block; `last` is one past its last block."""
    last: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    around: list[int] = field(default_factory=list)
    """Which of AROUND_TAGS the container is, or is inside, one bit each."""


@lru_cache(maxsize=1)
def _tag_kinds() -> dict[int, int]:
    """Kinds by the parser's own tag numbers, which are read from the parser so that no release of it can break us."""
    kinds = {
        name: FIRST_CONTAINER + number
        for number, name in enumerate(CONTAINER_TAGS)
        if name not in ("other", "nav", "footer")
    }
    kinds |= {name: kind for kind, names in _KINDS.items() for name in names.split()}
    tree = LexborHTMLParser("<p>")
    found = {tree.create_node(name).tag_id: kind for name, kind in kinds.items()}
    found[2] = TEXT
    assert tree.body is not None
    return found


class _Full(Exception):
    """The page has reached the limit of blocks or containers."""


class _Cutter:
    """The position in the page, the block being read there, and those before it.

    Half of all containers hold no text, so each is recorded only with its first block.
    """

    __slots__ = (
        "begins_with", "blocks", "bold_length", "breaks", "dropped", "here", "inline", "link_count", "link_length", "opened",
        "parts", "pictures", "slanted_length", "stack", "written",
    )  # fmt: skip

    def __init__(self, body: LexborNode) -> None:
        self.blocks = Blocks(parent=[0], tag=[TAG_NUMBER["body"]], first=[0], last=[0], depth=[0], around=[0])
        self.blocks.name.append(_name(body, "body"))
        self.stack: list[tuple[LexborNode, int]] = []
        """The open elements at this position and their kinds, except the body."""
        self.opened: list[tuple[LexborNode, int]] = []
        """The containers among them; `written` of them, the last of which is `here`, are in `blocks`."""
        self.written = self.here = 0
        self.inline = [0] * FIRST_CONTAINER
        """How many inline elements of each kind are open."""
        self.parts: list[str] = []
        """The texts of the block so far."""
        self.breaks = 0
        """Line breaks since the last text."""
        self.link_length = self.bold_length = self.slanted_length = self.link_count = self.pictures = self.dropped = 0
        self.begins_with: LexborNode | None = None
        """The first inline element of the block, if the block starts with it."""

    def walk(self, body: LexborNode, kinds: dict[int, int]) -> None:
        """Read the page from its first node to its last. Raises _Full.

        What happens at most nodes is written out here: calls would cost more than everything else.
        """
        kind_of, stack, opened, parts, inline = kinds.get, self.stack, self.opened, self.parts, self.inline
        node = body.first_child
        for _ in repeat(None, MAX_STEPS):
            if node is None:  # past the last child of the innermost element
                if not stack:
                    break
                node, kind = stack.pop()
                if kind < FIRST_CONTAINER:
                    inline[kind] -= 1
                else:
                    if parts:
                        self.end_block()
                    if len(opened) == self.written:
                        self._close()
                    opened.pop()
                node = node.next
                continue
            kind = kind_of(node.tag_id, FIRST_CONTAINER)
            if kind == TEXT:
                text = node.text_content or ""
                if not text.isspace():
                    parts.append(text)
                    self.breaks = 0
                    if len(stack) > len(opened):  # some of the open elements are inline
                        self.count_inline(len(text))
                elif parts:
                    parts.append(" ")
            elif kind >= LINK:
                if parts and kind >= FIRST_CONTAINER:
                    self.end_block()
                child = node.first_child
                if child is not None:
                    element = (node, kind)
                    stack.append(element)
                    if kind >= FIRST_CONTAINER:
                        opened.append(element)
                        self.breaks = 0
                    else:
                        self.enter_inline(node, kind)
                    node = child
                    continue
            elif kind == BREAK:
                self.add_break()
            elif kind == IMAGE:
                self.pictures += 1
            node = node.next
        if parts:
            self.end_block()

    def enter_inline(self, node: LexborNode, kind: int) -> None:
        """Note that the text that follows is in a link, is bold and so on."""
        self.inline[kind] += 1
        if kind == LINK:
            self.link_count += 1
        if self.begins_with is None and not self.parts:
            self.begins_with = node

    def count_inline(self, size: int) -> None:
        """Count the characters of a text towards the links, bold and slanted elements that it is in."""
        inline = self.inline
        if inline[LINK]:
            self.link_length += size
        if inline[BOLD]:
            self.bold_length += size
        if inline[SLANTED]:
            self.slanted_length += size

    def add_break(self) -> None:
        """A line break continues the block; a second one in a row ends it."""
        self.breaks += 1
        if self.breaks > 1 and self.parts:
            self.end_block()
        else:
            self.parts.append("\n")

    def end_block(self) -> None:
        """Record the block, unless it is a menu item, and start the next. Raises _Full."""
        text = "".join(self.parts).strip()
        # Checking that there is nothing to tidy takes a third of the time that tidying does.
        if "  " in text or not text.isprintable():
            text = " ".join(text.split())
        self.parts.clear()
        size = len(text)
        if size >= _MENU_ITEM or self.link_length < size or _DIGIT.search(text):
            self._write(text)
        else:
            self.dropped += size
        self.link_length = self.bold_length = self.slanted_length = 0
        self.link_count = 1 if self.inline[LINK] else 0
        self.begins_with = None

    def _write(self, text: str) -> None:
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
        out.inline_name.append(_name(self.begins_with, "inline") if self.begins_with is not None else "")
        out.container.append(self.here)
        self.pictures = self.dropped = 0
        if len(out.text) >= MAX_BLOCKS or len(out.parent) >= MAX_CONTAINERS:
            raise _Full

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

    def _close(self) -> None:
        self.blocks.last[self.here] = len(self.blocks.text)
        self.here = self.blocks.parent[self.here]
        self.written -= 1

    def finish(self) -> Blocks:
        """All blocks; the containers that are still open end with the last."""
        while self.written:
            self._close()
        self.blocks.last[0] = len(self.blocks.text)
        return self.blocks


def cut(body: LexborNode, *, everything: bool = False) -> Blocks:
    """Cut a page into blocks. With `everything`, also navigation, page footers and what is meant for readers without scripts.

    Iterative and bounded, because a page may be nested without end.
    """
    kinds = _tag_kinds()
    if everything:
        kinds = kinds | {tag: FIRST_CONTAINER for tag, kind in kinds.items() if kind == ASIDE_SKIP}
    cutter = _Cutter(body)
    with suppress(_Full):
        cutter.walk(body, kinds)
    return cutter.finish()


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

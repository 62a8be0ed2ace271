"""A page cut into blocks of text: one for each paragraph, heading, list item or cell, with what is known of its place."""

from __future__ import annotations

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

MAX_NODES = 250_000
MAX_BLOCKS = 12_000
MAX_TEXT = 5_000_000


@dataclass(slots=True)
class Block:
    """A run of text between two breaks."""

    text: str
    link_length: int
    tags: tuple[str, ...]
    """The enclosing elements that break text, the outermost first."""


INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr
    """.split()
)
SKIPPED = frozenset(
    """
    script style nav footer noscript template iframe svg math object embed canvas audio video select option textarea button
    input form datalist map head menu dialog
    """.split()
)


def cut(body: LexborNode) -> list[Block]:
    """The blocks of a page in order. Iterative, and limited in what it reads: pages may be nested without end."""
    blocks: list[Block] = []
    parts: list[str] = []
    path: list[str] = []
    stack: list[tuple[LexborNode, bool, bool]] = []
    link_depth = link_length = nodes = 0

    def flush() -> None:
        nonlocal link_length
        text = " ".join("".join(parts).split())
        if text:
            blocks.append(Block(text, min(link_length, len(text)), tuple(path[-6:])))
        parts.clear()
        link_length = 0

    node: LexborNode | None = body.first_child
    while nodes < MAX_NODES and len(blocks) < MAX_BLOCKS:
        while node is None:
            if not stack:
                flush()
                return blocks
            parent, is_block, is_link = stack.pop()
            if is_block:
                flush()
                path.pop()
            link_depth -= is_link
            node = parent.next
        nodes += 1
        tag = node.tag
        if tag == "-text":
            text = node.text_content or ""
            parts.append(text)
            if link_depth:
                link_length += len(text.strip())
        elif tag == "br":
            parts.append("\n")
        elif tag and tag not in SKIPPED and tag[0] != "-":
            child = node.first_child
            is_block = tag not in INLINE
            if is_block:
                flush()
            if child is not None:
                if is_block:
                    path.append(tag)
                link_depth += tag == "a"
                stack.append((node, is_block, tag == "a"))
                node = child
                continue
        node = node.next
    return blocks

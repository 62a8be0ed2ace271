"""The article of a page: which of its blocks belong to it."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.extract.blocks import Block

METHOD = "tearsheet"


@dataclass(slots=True)
class ArticleText:
    """The text of an article, a block a line, and how much of it is expected to be right."""

    text: str
    confidence: float


def choose(blocks: list[Block]) -> ArticleText:
    """Keep the paragraphs that are prose, and the headings and list items between them."""
    good = [_is_prose(block) for block in blocks]
    kept = [
        block.text
        for i, block in enumerate(blocks)
        if good[i]
        or (any(good[max(0, i - 2) : i]) and any(good[i + 1 : i + 3]) and block.link_length * 3 < len(block.text))
    ]
    return ArticleText("\n".join(kept), 0.8 if kept else 0.0)


def _is_prose(block: Block) -> bool:
    return len(block.text) >= 80 and block.link_length * 3 < len(block.text) and "aside" not in block.tags

"""The article of a page: which of its blocks belong to it, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tearsheet.extract.blocks import Blocks
from tearsheet.extract.features import Floats, PageHints
from tearsheet.extract.model import Model

METHOD = "tearsheet"
_REPEATED = 60
"""Texts of at least this length that repeat an earlier one are left out: teasers, pull quotes."""


@dataclass(slots=True)
class ArticleText:
    """The text of an article, one block per line, and its expected accuracy (F1, 0 to 1)."""

    text: str = ""
    confidence: float = 0.0


def choose(blocks: Blocks, hints: PageHints, model: Model) -> ArticleText:
    """Keep the blocks that together promise the best F1."""
    if not blocks.text:
        return ArticleText()
    likely, word_counts = model.probabilities(blocks, hints)
    keep, expected = best_cut(likely, word_counts)
    seen: set[str] = set()
    lines = []
    for i in np.flatnonzero(keep).tolist():
        text = blocks.text[i]
        if len(text) >= _REPEATED:
            if text in seen:
                continue
            seen.add(text)
        lines.append(text)
    return ArticleText("\n".join(lines), float(np.interp(expected, model.calibration[0], model.calibration[1])))


def best_cut(likely: Floats, word_counts: Floats) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], float]:
    """Which blocks to keep for the highest expected F1 over words, and that F1."""
    order = np.argsort(-likely, kind="stable")
    right = np.cumsum((likely * word_counts)[order])
    f1 = 2 * right / (np.cumsum(word_counts[order]) + right[-1] + 1e-9)
    best = int(f1.argmax())
    return likely >= likely[order[best]], float(f1[best])

"""What is known about each block, as numbers: its text, its position, the elements around it, the words that name them.

Pages have about a hundred blocks, so calls cost more than arithmetic: most numbers are computed for all levels or all
neighbours in one call.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tearsheet.extract import chars
from tearsheet.extract.block_words import PageWords, cut_words, page_words
from tearsheet.extract.blocks import AROUND_TAGS, CONTAINER_TAGS, TAG_NUMBER, Blocks

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]

LEVELS = 5
NAME_COLUMNS = 6
"""Scores of an element's name: as the block's own inline element, as its container, as the next two, as any farther one, and
the lowest and highest of its words."""
WORD_COLUMNS = 3
"""Scores of a text's words: their sum, the lowest and the highest."""

_OWN_TAGS = "p div li h1 h2 h3 h4 td blockquote figcaption pre dd article section header other".split()
_NEAR_TAGS = "div section article ul ol td body main blockquote figure header aside li by_kind".split()
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_H1, _P = TAG_NUMBER["h1"], TAG_NUMBER["p"]
_SHARES = [k for k in range(chars.KINDS) if k != chars.OTHER]


@dataclass(slots=True)
class PageHints:
    """What the page says about its article, to compare the blocks with."""

    title: str = ""
    description: str = ""
    body: str = ""
    """The text in JSON-LD, if there is one."""


@dataclass(slots=True)
class Layout:
    """The numbers that the features of a page are made from, before any learned weights are used."""

    lengths: Floats
    link_share: Floats
    word_counts: Floats
    good: Floats
    """1 where a block is long and has few links, else 0."""
    ancestors: Ints
    """The container of each block, one row per level, the nearest first."""
    first: Ints
    last: Ints
    parent: list[int]
    heading: NDArray[np.bool_]
    same_kind: Ints
    """Blocks with the same name and nesting have the same number."""
    sums: NDArray[np.float64]
    """Running total of the lengths, from 0."""
    page_words: PageWords
    fixed: Floats
    """The features that need no learned weights."""


@lru_cache(maxsize=1)
def _tag_rows() -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """For each tag, its columns as a block's own container and as one farther out, and whether it is a heading."""
    own = np.array([[tag == name for name in _OWN_TAGS] for tag in CONTAINER_TAGS], np.float32)
    near = np.array([[tag == name for name in _NEAR_TAGS] for tag in CONTAINER_TAGS], np.float32)
    return own, near, np.array([tag in _HEADINGS for tag in CONTAINER_TAGS])


def layout(blocks: Blocks, hints: PageHints) -> Layout:
    """Everything about the blocks that is not learned. There must be at least one block."""
    counts, lengths, first_kind, last_kind = chars.count_kinds(blocks.text)
    n = len(blocks.text)
    own_rows, near_rows, headings = _tag_rows()
    numbers = np.array(
        [blocks.link_length, blocks.links, blocks.bold_length, blocks.slanted_length, blocks.images, blocks.dropped],
        np.float32,
    )
    links = np.minimum(numbers[0], lengths)
    link_share = links / lengths
    alone = counts[:, chars.ALONE]
    word_counts = counts[:, chars.BLANK] + 1 + alone
    good = ((lengths + 2 * alone > 100) & (link_share < 0.3)).astype(np.float32)
    parent, tag = np.array(blocks.parent, np.intp), np.array(blocks.tag, np.intp)
    first, last = np.array(blocks.first, np.intp), np.array(blocks.last, np.intp)
    ancestors = np.empty((LEVELS, n), np.intp)
    ancestors[0] = blocks.container
    for level in range(1, LEVELS):
        parent.take(ancestors[level - 1], out=ancestors[level])
    tags = tag[ancestors[:3]]
    depth = np.array(blocks.depth, np.intp)
    heading = headings[tags[0]]
    same_kind = _kinds_of_block(blocks, ancestors)
    prose = good * lengths
    words_of_page = page_words(blocks.text, alone=bool(alone.any()))
    totals = np.zeros((5, n + 1))
    np.cumsum([lengths, links, prose, lengths * (tags[0] == _P), numbers[5]], axis=1, out=totals[:, 1:])
    around = (np.array(blocks.around, np.intp)[ancestors[0], None] >> np.arange(len(AROUND_TAGS))) & 1
    fixed = np.concatenate(
        [
            _own_text(counts, lengths, word_counts, link_share, numbers, first_kind, last_kind),
            own_rows[tags[0]],
            near_rows[tags[1]],
            near_rows[tags[2], :8],
            around,
            _position(totals, heading, tags[0], depth[ancestors[0]]),
            _containers(totals, ancestors, first, last),
            _groups(same_kind, lengths, links, prose),
            _candidate(prose, ancestors, first, last, parent, depth),
            _hints(blocks.text, words_of_page, hints),
        ],
        axis=1,
        dtype=np.float32,
    )
    return Layout(
        lengths, link_share, word_counts, good, ancestors, first, last, blocks.parent, heading, same_kind, totals[0],
        words_of_page, fixed,
    )  # fmt: skip


def complete(page: Layout, name_scores: Floats, inline_scores: Floats, word_scores: Floats) -> Floats:
    """All features: those of the layout, the learned words, and the neighbours'.

    `name_scores` has one row per container, the others one per block (see NAME_COLUMNS and WORD_COLUMNS).
    """
    far, least = _inherited(page.parent, name_scores)
    near = name_scores[page.ancestors[:4]]
    total = near[0, :, 1] + near[1, :, 2] + near[2, :, 2] + far[page.ancestors[3]]
    words = word_scores[:, 0]
    guess = total + words + inline_scores[:, 0]
    learned = np.empty((19, len(words)), np.float32)
    learned[0] = inline_scores[:, 0]
    learned[1] = near[0, :, 1]
    learned[2:5] = near[1:, :, 2]
    learned[5:8] = near[:3, :, 4]
    learned[8:11] = near[:3, :, 5]
    learned[11] = far[page.ancestors[3]]
    learned[12:14] = least[page.ancestors[0:3:2]]
    learned[14] = total
    learned[15:18] = word_scores.T
    learned[18] = guess
    return np.concatenate(
        [
            page.fixed,
            learned.T,
            _guess_around(page, guess, total),
            _course(page, guess, words),
            _neighbours(page, total, words),
        ],
        axis=1,
        dtype=np.float32,
    )


def _own_text(
    counts: Floats, lengths: Floats, word_counts: Floats, link_share: Floats, numbers: Floats, first: Any, last: Any
) -> Floats:
    out = np.empty((len(lengths), 10 + len(_SHARES) + 19), np.float32)
    letters = counts[:, chars.LOWER] + counts[:, chars.UPPER] + counts[:, chars.ALONE] + counts[:, chars.LETTER] + 1
    stops = counts[:, chars.STOP]
    out[:, 0] = lengths
    out[:, 1] = word_counts
    out[:, 2] = numbers[1]
    out[:, 3] = stops
    out[:, 4] = counts[:, chars.COMMA]
    np.log1p(out[:, :5], out=out[:, :5])
    out[:, 5] = link_share
    out[:, 6] = numbers[1] / word_counts
    out[:, 7] = letters / word_counts
    out[:, 8] = counts[:, chars.UPPER] / letters
    out[:, 9] = stops / word_counts
    k = 10 + len(_SHARES)
    np.divide(counts[:, 1:], lengths[:, None], out=out[:, 10:k])
    for kind in (chars.UPPER, chars.LOWER, chars.DIGIT, chars.QUOTE):
        out[:, k] = first == kind
        k += 1
    out[:, k] = (first >= chars.BRACKET) & (first <= chars.DASH)
    k += 1
    for kind in (chars.STOP, chars.COLON, chars.QUOTE, chars.DIGIT, chars.BRACKET):
        out[:, k] = last == kind
        k += 1
    out[:, k] = (last == chars.MARK) | (last == chars.SYMBOL)
    out[:, k + 1 : k + 3] = np.minimum(numbers[2:4] / lengths, 1).T
    out[:, k + 3] = np.minimum(numbers[4], 4)
    out[:, k + 4] = word_counts <= 3
    out[:, k + 5] = (word_counts > 3) & (word_counts <= 8)
    out[:, k + 6] = word_counts > 40
    out[:, k + 7] = np.log1p(numbers[5])
    out[:-1, k + 8] = out[1:, k + 7]
    out[-1, k + 8] = 0
    return out


def _position(totals: Any, heading: Any, own_tag: Ints, depth: Ints) -> Floats:
    n = len(depth)
    index = np.arange(n)
    text, links, prose = totals[0], totals[1] + totals[4], totals[2]
    total, good = text[-1], prose[-1]
    h1 = np.flatnonzero(own_tag == _H1)
    since_h1 = index - h1[0] if len(h1) else np.zeros(n)
    out = np.empty((n, 17), np.float32)
    out[:, 0] = index
    out[:, 1] = n - index
    out[:, 2] = prose[:-1]
    out[:, 3] = good - prose[:-1]
    out[:, 4] = np.abs(since_h1)
    out[:, 5] = np.cumsum(heading)
    np.log1p(out[:, :6], out=out[:, :6])
    out[:, 4] *= np.sign(since_h1)
    out[:, 6] = index / n
    out[:, 7] = text[:-1] / total
    out[:, 8] = prose[:-1] / (good + 1)
    out[:, 9] = since_h1 > 0
    out[:, 10] = np.minimum(depth, 20) / 10
    out[:, 11:] = (
        np.log1p(total),
        np.log1p(n),
        links[-1] / (total + totals[4, -1]),
        good / total,
        len(h1) > 0,
        len(h1) > 1,
    )
    return out


def _containers(totals: Any, ancestors: Ints, first: Ints, last: Ints) -> Floats:
    """What else is in each of the containers around a block."""
    a, b = first[ancestors], last[ancestors]
    inside = totals[:, b] - totals[:, a]
    here = inside[0]
    out = np.empty((8, *a.shape), np.float32)
    out[0] = np.log1p(here)
    out[1] = inside[1] / here
    out[2] = inside[2] / here
    out[3] = inside[3] / here
    out[7] = inside[4] / (here + inside[4])
    out[4] = np.log1p(b - a)
    out[5] = here / totals[0, -1]
    out[6] = (np.arange(a.shape[1]) - a + 0.5) / (b - a)
    return out.reshape(-1, a.shape[1]).T


def _kinds_of_block(blocks: Blocks, ancestors: Ints) -> Ints:
    known: dict[str, int] = {}
    number = np.array([known.setdefault(name, len(known)) for name in blocks.name], np.int64)[ancestors[:3]]
    kinds: dict[int, int] = {}
    mixed = ((number[0] * 60_013 + number[1]) * 60_013 + number[2]).tolist()
    return np.array([kinds.setdefault(m, len(kinds)) for m in mixed], np.intp)


def _groups(same_kind: Ints, lengths: Floats, links: Floats, prose: Floats) -> Floats:
    """Figures over all blocks of the same kind."""
    size = np.bincount(same_kind)
    text = np.bincount(same_kind, lengths)
    by_kind = np.empty((6, len(size)), np.float32)
    by_kind[0] = text
    by_kind[1] = size
    by_kind[2] = text / size
    np.log1p(by_kind[:3], out=by_kind[:3])
    by_kind[3] = np.bincount(same_kind, links) / text
    by_kind[4] = np.bincount(same_kind, prose) / text
    by_kind[5] = text / text.sum()
    return by_kind[:, same_kind].T


def _candidate(prose: Floats, ancestors: Ints, first: Ints, last: Ints, parent: Ints, depth: Ints) -> Floats:
    """Where a block is relative to the container that directly holds the most prose, and to the one around that."""
    n = len(prose)
    direct = np.bincount(ancestors[1], prose, len(parent)) + 0.5 * np.bincount(ancestors[2], prose, len(parent))
    best = int(direct.argmax())
    both = [best, int(parent[best])]
    index, a, b = np.arange(n), first[both][:, None], last[both][:, None]
    out = np.empty((12, n), np.float32)
    relation = out[:10].reshape(2, 5, n)
    after = index >= b
    relation[:, 0] = (index >= a) & ~after
    relation[:, 1] = after
    relation[:, 2] = np.log1p(np.maximum(a - index, 0))
    relation[:, 3] = np.log1p(np.maximum(index - b + 1, 0))
    relation[:, 4] = np.minimum(np.maximum((index - a) / np.maximum(1, b - a), -5), 12)
    out[10] = direct[best] / (prose.sum() + 1)
    out[11] = np.minimum(np.maximum(depth[ancestors[0]] - depth[best], -8), 8) / 4
    return out.T


def _hints(texts: list[str], words: PageWords, hints: PageHints) -> Floats:
    """How much of what the page says about its article a block repeats."""
    n = len(texts)
    out = np.zeros((8, n), np.float32)
    lines = words.lines
    beginnings = words.words[: words.ends]
    known: dict[bytes, int] = dict.fromkeys(cut_words(hints.title), 1)
    in_title = len(known)
    described = set(cut_words(hints.description))
    for word in described:
        known[word] = known.get(word, 0) | 2
    marks = np.fromiter(map(known.get, beginnings, repeat(0)), np.uint8, len(beginnings))
    counts = np.add.reduceat(np.array([marks & 1, marks >> 1], np.float32), lines[:n], axis=1)
    out[:2] = counts / (lines[1 : n + 1] - lines[:n]).astype(np.float32)
    out[2:4] = counts / np.array([[in_title + 1], [len(described) + 1]], np.float32)
    if len(hints.body) > 300:
        body = hints.body
        out[4] = [text[:40] in body for text in texts]
        out[5] = [text[-40:] in body for text in texts]
        out[6] = 1
    out[7] = bool(hints.description)
    return out.T


def _inherited(parent: list[int], name_scores: Floats) -> tuple[Floats, Floats]:
    """For each container, the sum of the farther scores and the lowest word, over itself and everything around it."""
    own, lows = name_scores[:, 3].tolist(), name_scores[:, 4].tolist()
    for c in range(1, len(parent)):
        up = parent[c]
        own[c] += own[up]
        if lows[up] < lows[c]:
            lows[c] = lows[up]
    return np.array(own, np.float32), np.array(lows, np.float32)


def _guess_around(page: Layout, guess: Floats, names: Floats) -> Floats:
    """The mean of a first guess over each container and over the blocks of the same kind."""
    n = len(guess)
    weighted = np.zeros(n + 1)
    lengths = page.lengths
    product = lengths * guess
    np.cumsum(product, out=weighted[1:])
    out = np.empty((9, n), np.float32)
    a, b = page.first[page.ancestors], page.last[page.ancestors]
    out[:5] = (weighted[b] - weighted[a]) / (page.sums[b] - page.sums[a])
    out[5] = (np.bincount(page.same_kind, product) / np.bincount(page.same_kind, lengths))[page.same_kind]
    out[6] = weighted[-1] / page.sums[-1]
    out[7] = names - names.max()
    out[8] = guess - (product * page.good).sum() / ((lengths * page.good).sum() + 1)
    return out.T


def _course(page: Layout, guess: Floats, words: Floats) -> Floats:
    """Marks of the article's end: the worst short block so far, how long ago it was, and what is still to come."""
    n = len(guess)
    prose = page.lengths * page.good
    started = np.cumsum(prose) > 200
    index = np.arange(n)
    last_heading = np.maximum.accumulate(np.where(page.heading, index, 0))
    likely = prose * (guess > 0)
    behind = np.cumsum(likely)
    ahead = behind[-1] - behind
    out = np.empty((7, n), np.float32)
    out[0] = np.where(started & ((page.lengths < 60) | page.heading), words, 0)
    out[1] = np.where(page.heading & started, words, 0)
    np.minimum.accumulate(out[:2], axis=1, out=out[:2])
    out[2] = np.where(page.heading[last_heading], words[last_heading], 0)
    out[3] = index - last_heading
    out[4] = ahead
    out[5] = behind - likely
    np.log1p(out[3:6], out=out[3:6])
    out[6] = ahead / (behind[-1] + 1)
    return out.T


def _neighbours(page: Layout, names: Floats, words: Floats) -> Floats:
    """The two blocks before and the two after: what they are like, and whether they are nested in the same way."""
    n = len(names)
    near = np.zeros((6, n + 4), np.float32)
    near[0, 2:-2] = np.log1p(page.lengths)
    near[1, 2:-2] = page.link_share
    near[2, 2:-2] = names
    near[3, 2:-2] = words
    near[4, 2:-2] = page.good
    near[5, 2:-2] = page.heading
    nesting = np.full((3, n + 4), -1, np.intp)
    nesting[:2, 2:-2] = page.ancestors[:2]
    nesting[2, 2:-2] = page.same_kind
    out = np.empty((4, 9, n), np.float32)
    for k, shift in enumerate((1, 3, 0, 4)):
        out[k, :6] = near[:, shift : shift + n]
        out[k, 6:] = nesting[:, shift : shift + n] == nesting[:, 2:-2]
    return out.reshape(-1, n).T

"""Which blocks of a page belong to its article, told by laying the blocks along the true text."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict

from bench.extract_data import RUN, tokens

_MAX_PLACES = 4


def label(blocks: list[str], truth: str, optional: list[str]) -> tuple[list[float], list[int], int]:
    """For each block the share of its words that the truth has, its number of words (0: does not count), and the truth's words.

    Blocks are matched in the order of the truth, so that a teaser which repeats a sentence is told from the sentence itself.
    """
    want = tokens(truth)
    index: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i in range(len(want) - RUN + 1):
        index[tuple(want[i : i + RUN])].append(i)
    words = [tokens(block) for block in blocks]
    places = [_places(block, index) for block in words]
    chosen = _best_chain(places)
    _add_lone(words, places, chosen, len(want))
    _add_short(words, chosen, want)
    shares = [chosen[i][2] if i in chosen else 0.0 for i in range(len(blocks))]
    ignored = {" ".join(tokens(line)) for line in optional}
    counts = [0 if ignored and " ".join(block) in ignored else len(block) for block in words]
    return shares, counts, len(want)


def _places(block: list[str], index: dict[tuple[str, ...], list[int]]) -> list[tuple[int, int, float, int]]:
    """Where in the truth a block may lie: start, end, share of its runs found, and how many."""
    n = len(block) - RUN + 1
    if n < 1:
        return []
    votes: dict[int, int] = defaultdict(int)
    found = 0
    first = last = 0
    for i in range(n):
        hits = index.get(tuple(block[i : i + RUN]))
        if not hits:
            continue
        found += 1
        for hit in hits[:8]:
            votes[(hit - i) // 8] += 1
    if not found:
        return []
    del first, last
    best = sorted(votes.items(), key=lambda item: (-item[1], item[0]))[:_MAX_PLACES]
    return [(max(0, b * 8), b * 8 + len(block), found / n, v) for b, v in best]


def _best_chain(places: list[list[tuple[int, int, float, int]]]) -> dict[int, tuple[int, int, float]]:
    """The heaviest choice of places in which the truth is read forwards."""
    ends: list[int] = []
    totals: list[float] = []
    backs: list[int] = []
    steps: list[tuple[int, int, int, float, int]] = []
    for number, options in enumerate(places):
        new = []
        for start, end, share, weight in options:
            k = bisect_right(ends, start + 12) - 1
            total = (totals[k] if k >= 0 else 0.0) + weight * share
            new.append((end, total, (number, start, end, share, backs[k] if k >= 0 else -1)))
        for end, total, step in new:
            steps.append(step)
            k = bisect_right(ends, end)
            if k and totals[k - 1] >= total:
                continue
            while k < len(ends) and totals[k] <= total:
                del ends[k], totals[k], backs[k]
            ends.insert(k, end)
            totals.insert(k, total)
            backs.insert(k, len(steps) - 1)
    chosen: dict[int, tuple[int, int, float]] = {}
    at = backs[-1] if backs else -1
    while at >= 0:
        number, start, end, share, at = steps[at]
        chosen[number] = (start, end, share)
    return chosen


def _add_lone(
    words: list[list[str]],
    places: list[list[tuple[int, int, float, int]]],
    chosen: dict[int, tuple[int, int, float]],
    size: int,
) -> None:
    """Long blocks that stand elsewhere in the truth than on the page, as a standfirst does."""
    used = bytearray(size + 1)
    for start, end, _ in chosen.values():
        used[start : min(end, size)] = b"\1" * max(0, min(end, size) - start)
    for number, options in enumerate(places):
        if number in chosen or len(words[number]) < 10:
            continue
        for start, end, share, _ in options:
            room = used[start : min(end, size)]
            if share > 0.8 and sum(room) < 0.2 * max(1, len(room)):
                chosen[number] = (start, end, share)
                used[start : min(end, size)] = b"\1" * len(room)
                break


def _add_short(words: list[list[str]], chosen: dict[int, tuple[int, int, float]], want: list[str]) -> None:
    """Blocks of fewer words than a run, where the truth has just these between two neighbours."""
    position = 0
    for i, block in enumerate(words):
        if i in chosen:
            position = chosen[i][1]
        elif 0 < len(block) < RUN:
            for start in range(max(0, position - 8), min(position + 9, len(want))):
                if want[start : start + len(block)] == block:
                    chosen[i] = (start, start + len(block), 1.0)
                    position = start + len(block)
                    break

"""The learned model: weights of words, and a small neural net that says how likely a block belongs to the article."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from io import BytesIO
from itertools import chain, repeat

import numpy as np

from tearsheet.extract.block_words import PageWords, name_words, split_name
from tearsheet.extract.blocks import Blocks
from tearsheet.extract.features import NAME_COLUMNS, WORD_COLUMNS, Floats, Layout, PageHints, complete, layout

TABLE = "table.npz"
_MAX_CACHED = 30_000
CLIP = 6.0
"""Standardised features are clipped to this range."""
PORTION = 16
"""How many blocks go through the net at once: so few that numpy's library starts no threads, which would cost more than they
save and take cores from other workers."""
_WORD_PLACES = ("start", "end", "first", "whole")


@dataclass(slots=True)
class WordWeights:
    """Weights of words by their position in a text."""

    start: dict[bytes, float] = field(default_factory=dict)
    end: dict[bytes, float] = field(default_factory=dict)
    first: dict[bytes, float] = field(default_factory=dict)
    """The first word, and the first two with a space between them."""
    whole: dict[bytes, float] = field(default_factory=dict)


@dataclass(slots=True)
class Model:
    """Word weights and net."""

    names: dict[str, int]
    """Words of names, and their rows in `name_weights`. The first row belongs to no word and is all zeros."""
    name_weights: Floats
    """Weights of a word in the name of an inline element, a container, the next two, and farther ones."""
    words: WordWeights
    mean: Floats
    scale: Floats
    layers: list[tuple[Floats, Floats]]
    calibration: Floats
    """Points of a curve: F1 as computed, and as it turned out."""
    _low: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    _high: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    _folded: list[tuple[Floats, Floats]] = field(default_factory=list)
    _parts: dict[str, list[int]] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _scores: Floats = field(default_factory=lambda: np.zeros((1000, NAME_COLUMNS), np.float32))

    def probabilities(self, blocks: Blocks, hints: PageHints) -> tuple[Floats, Floats]:
        """For each block, how likely it belongs to the article, and its number of words."""
        page = layout(blocks, hints)
        return self.run(complete(page, *self.scores(blocks, page))), page.word_counts

    def run(self, features: Floats) -> Floats:
        """The net alone."""
        if not self._folded:
            self._fold_in()
        size, width = features.shape
        x = np.zeros((-(-size // PORTION) * PORTION, width), np.float32)
        np.minimum(np.maximum(features, self._low), self._high, out=x[:size])
        x = x.reshape(-1, PORTION, width)
        for weights, bias in self._folded[:-1]:
            x = x @ weights
            x += bias
            np.maximum(x, 0, out=x)
        weights, bias = self._folded[-1]
        out: Floats = 1 / (1 + np.exp(-(x @ weights + bias).ravel()[:size]))
        return out

    def _fold_in(self) -> None:
        """Fold mean and scale into the first layer, and convert the bounds of the features accordingly."""
        mean, scale = self.mean.astype(float), self.scale.astype(float)
        weights, bias = self.layers[0]
        first = (weights * scale[:, None]).astype(np.float32), (bias - (mean * scale) @ weights).astype(np.float32)
        self._folded = [first, *self.layers[1:]]
        self._low, self._high = (mean - CLIP / scale).astype(np.float32), (mean + CLIP / scale).astype(np.float32)

    def scores(self, blocks: Blocks, page: Layout) -> tuple[Floats, Floats, Floats]:
        """What the words say about each container, each inline element and each text."""
        names = self._names(blocks.name + blocks.inline_name)
        return names[: len(blocks.name)], names[len(blocks.name) :], self.text_scores(page.page_words)

    def _names(self, names: list[str]) -> Floats:
        """For each name, its columns (see NAME_COLUMNS). Names recur, so they are cached, up to a limit."""
        rows = self._rows
        if len(rows) > _MAX_CACHED:
            rows.clear()
            self._parts.clear()
        fresh = [name for name in dict.fromkeys(names) if name not in rows]
        if fresh:
            row = len(rows)
            if row + len(fresh) > len(self._scores):
                self._scores = np.resize(self._scores, (2 * (row + len(fresh)), NAME_COLUMNS))
            self._scores[row : row + len(fresh)] = self._name_scores(fresh)
            rows.update(zip(fresh, range(row, row + len(fresh)), strict=True))
        return self._scores[[rows[name] for name in names]]

    def _name_scores(self, names: list[str]) -> Floats:
        parts = self._parts
        listed: list[int] = []
        begins = []
        for name in names:
            begins.append(len(listed))
            found = {0}
            for part in split_name(name):
                known = parts.get(part)
                if known is None:
                    known = parts[part] = [row for row in map(self.names.get, name_words(part)) if row]
                found.update(known)
            listed += found
        weights = self.name_weights[listed]
        near = weights[:, 2]
        out = np.empty((len(names), NAME_COLUMNS), np.float32)
        # The order of the words must not matter, and does not in sums of 64 bits.
        out[:, :4] = np.add.reduceat(weights, begins, axis=0, dtype=np.float64)
        out[:, 4] = np.minimum.reduceat(near, begins)
        out[:, 5] = np.maximum.reduceat(near, begins)
        return out

    def text_scores(self, words: PageWords) -> Floats:
        """For each text, the columns of its words (see WORD_COLUMNS)."""
        tables = self.words
        n = len(words.whole)
        listed, ends = words.words, words.ends
        starts = words.lines[:n].tolist()
        firsts = [listed[i] for i in starts]
        pairs = [listed[i] + b" " + listed[i + 1] for i in starts]
        nothing = repeat(0.0)
        alone = np.fromiter(
            chain(
                map(tables.whole.get, words.whole, nothing),
                map(tables.first.get, firsts, nothing),
                map(tables.first.get, pairs, nothing),
            ),
            np.float32,
            3 * n,
        )
        weights = np.fromiter(
            chain(map(tables.start.get, listed[:ends], nothing), map(tables.end.get, listed[ends:], nothing)),
            np.float32,
            len(listed),
        )
        # For each column: the whole text, its start and its end.
        table = np.empty((WORD_COLUMNS, 3, n), np.float32)
        table[:, 0] = alone.reshape(3, n).sum(axis=0)
        for place, ufunc in zip(table, (np.add, np.minimum, np.maximum), strict=True):
            place[1:] = ufunc.reduceat(weights, words.lines).reshape(2, n)
        return np.stack([table[0].sum(axis=0), table[1].min(axis=0), table[2].max(axis=0)], axis=1)


def save(model: Model) -> bytes:
    """The model as a compressed numpy archive of plain arrays, always the same bytes for the same model."""
    import zipfile

    arrays = {
        "names": np.frombuffer("\n".join(model.names).encode(), np.uint8),
        "name_weights": model.name_weights[1:].astype(np.float16),
        "mean": model.mean,
        "scale": model.scale,
        "calibration": model.calibration,
    }
    for place in _WORD_PLACES:
        table = sorted(getattr(model.words, place).items())
        arrays[place] = np.frombuffer(b"\n".join(word for word, _ in table), np.uint8)
        arrays[f"{place}_weights"] = np.array([weight for _, weight in table], np.float16)
    for i, (weights, bias) in enumerate(model.layers):
        arrays[f"weights{i}"], arrays[f"bias{i}"] = weights, bias
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for key, array in arrays.items():
            data = BytesIO()
            np.lib.format.write_array(data, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{key}.npy", (2020, 1, 1, 0, 0, 0)), data.getvalue(), zipfile.ZIP_DEFLATED
            )
    return out.getvalue()


def read(data: bytes) -> Model:
    """The model that `save` wrote."""
    with np.load(BytesIO(data), allow_pickle=False) as archive:
        names = archive["names"].tobytes().decode().split("\n")
        name_weights = np.vstack([np.zeros(4), archive["name_weights"]]).astype(np.float32)
        words = WordWeights()
        for place in _WORD_PLACES:
            keys = archive[place].tobytes().split(b"\n")
            getattr(words, place).update(zip(keys, archive[f"{place}_weights"].astype(float).tolist(), strict=True))
        layers = [
            (archive[f"weights{i}"], archive[f"bias{i}"])
            for i in range(sum(k.startswith("bias") for k in archive.files))
        ]
        return Model(
            dict(zip(names, range(1, len(name_weights)), strict=True)),
            name_weights,
            words,
            archive["mean"],
            archive["scale"],
            layers,
            archive["calibration"],
        )


@lru_cache(maxsize=1)
def shipped() -> Model:
    """The model of this release."""
    return read((resources.files("tearsheet.extract") / TABLE).read_bytes())

"""Learn the table of the text extractor, and say how good it is on domains it has not seen.

    python -m bench.train_extract                 cross-validate, then write the table into the package
    python -m bench.train_extract --check         cross-validate only

Everything is learned five times with one fifth of the domains left out. The word tables are cross-fitted once more inside, so
that the net never sees a word weight that was learned from the very page it is shown. Same data, same table.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import hashlib
import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from bench import block_labels as label_module
from bench.block_labels import label
from bench.extract_data import Page, fold_of, load, string_score, text_score
from bench.extract_fit import logistic, standardize, train_net
from tearsheet.extract import block_words as word_module
from tearsheet.extract import blocks as block_module
from tearsheet.extract import features as feature_module
from tearsheet.extract.block_words import SEPARATOR, PageWords, name_words, split_name
from tearsheet.extract.blocks import Blocks
from tearsheet.extract.document import Document
from tearsheet.extract.features import Layout, complete, layout
from tearsheet.extract.model import CLIP, Model, WordWeights, save

FOLDS = 5
MIN_DOMAINS = 3
NAME_PENALTY, WORD_PENALTY = 3e-6, 1e-5
STRING_WEIGHT = 0.1
"""What a block counts that has a string of `extraction/`, beside a whole article, which counts 1."""
TABLE_FILE = Path(feature_module.__file__).with_name("table.npz")


@dataclass(slots=True)
class Prepared:
    """A page made ready for training."""

    page: Page
    fold: int
    blocks: Blocks
    layout: Layout
    name_ids: list[list[int]]
    inline_ids: list[list[int]]
    word_ids: list[list[int]]
    y: Any
    weight: Any


class Vocabulary:
    """Words seen on enough domains to be learned."""

    def __init__(self) -> None:
        self.ids: dict[Any, int] = {}
        self.domains: dict[int, set[str]] = defaultdict(set)

    def add(self, words: Sequence[str | bytes], domain: str) -> list[int]:
        found = []
        for word in words:
            i = self.ids.setdefault(word, len(self.ids))
            if len(self.domains[i]) < MIN_DOMAINS:
                self.domains[i].add(domain)
            found.append(i)
        return found


def prepare(pages: list[Page], names: Vocabulary, words: Vocabulary) -> list[Prepared]:
    return [item for item in (prepare_page(page, names, words) for page in pages) if item]


def prepare_page(page: Page, names: Vocabulary, words: Vocabulary) -> Prepared | None:
    document = Document(page.html, page.url)
    blocks = document.blocks
    if not blocks.text:
        return None
    page_layout = layout(blocks, document.hints)
    y, weight = labels(page, blocks)
    known: dict[str, list[int]] = {"": []}
    for name in (*blocks.name, *blocks.inline_name):
        if name not in known:
            known[name] = names.add([w for part in split_name(name) for w in name_words(part)], page.domain)
    return Prepared(
        page=page,
        fold=fold_of(page.domain, FOLDS),
        blocks=blocks,
        layout=page_layout,
        name_ids=[known[name] for name in blocks.name],
        inline_ids=[known[name] for name in blocks.inline_name],
        word_ids=[words.add(w, page.domain) for w in placed_words(page_layout.page_words)],
        y=y,
        weight=weight,
    )


def labels(page: Page, blocks: Blocks) -> tuple[Any, Any]:
    """For each block how much of it belongs to the article, and how much it counts.

    Where the whole text is known, a block counts by its words over the truth's; where only some strings are, those blocks count
    alike that have one of them.
    """
    if page.text:
        shares, counts, size = label(blocks.text, page.text, page.expected.get("optional") or [])
        weight = np.minimum(np.array(counts) / max(size, 50), 1)
        return np.array(shares, np.float32), (weight * min(1.0, 4 / max(weight.sum(), 1e-9))).astype(np.float32)
    wanted = np.array([any(s in text for s in page.expected["with"]) for text in blocks.text])
    unwanted = np.array([any(s in text for s in page.expected["without"]) for text in blocks.text])
    return wanted.astype(np.float32), np.where(wanted != unwanted, STRING_WEIGHT, 0).astype(np.float32)


def placed_words(words: PageWords) -> list[list[bytes]]:
    """The words of each text, marked with where they stand."""
    out = [[b"=" + whole] if whole else [] for whole in words.whole]
    for mark, listed in ((b"^", words.words[: words.ends]), (b"$", words.words[words.ends :])):
        i, before = 0, b""
        for word in listed:
            if word == SEPARATOR:
                i, before = i + 1, b""
                continue
            out[i].append(mark + word)
            if mark == b"^" and not before:
                out[i].append(b"1" + word)
                before = b" "
            elif mark == b"^" and before == b" ":
                out[i].append(out[i][-2] + b" " + word)
                before = word
    return out


def sparse(rows: list[list[int]], width: int) -> csr_matrix:
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    columns = np.fromiter((i for row in rows for i in row), np.int64, int(sizes.sum()))
    matrix = csr_matrix(
        (np.ones(len(columns), np.float32), columns, np.append(0, np.cumsum(sizes))), (len(rows), width)
    )
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def name_rows(item: Prepared, size: int) -> list[list[int]]:
    """For each block the words of the elements around it, apart by how far they are."""
    out = []
    parent, ids = item.blocks.parent, item.name_ids
    for c, inline in zip(item.blocks.container, item.inline_ids, strict=True):
        row = list(inline)
        level = 0
        while True:
            group = 1 if level == 0 else 2 if level < 3 else 3
            row += [group * size + i for i in ids[c]]
            if c == 0:
                break
            c = parent[c]
            level += 1
        out.append(row)
    return out


class Tables:
    """Word weights learned from all pages but those of the folds left out."""

    def __init__(self, items: list[Prepared], names: Vocabulary, words: Vocabulary) -> None:
        self.names, self.words = names, words
        self.name_matrix = sparse(
            [row for item in items for row in name_rows(item, len(names.ids))], 4 * len(names.ids)
        )
        self.word_matrix = sparse([row for item in items for row in item.word_ids], len(words.ids))
        self.y = np.concatenate([item.y for item in items])
        self.weight = np.concatenate([item.weight for item in items])
        self.fold = np.concatenate([np.full(len(item.y), item.fold) for item in items])
        self.common = [self._common(names, 4), self._common(words, 1)]
        self.fitted: dict[frozenset[int], Model] = {}

    @staticmethod
    def _common(vocabulary: Vocabulary, times: int) -> Any:
        enough = np.array([len(vocabulary.domains[i]) >= MIN_DOMAINS for i in range(len(vocabulary.ids))])
        return np.flatnonzero(np.tile(enough, times))

    def without(self, *folds: int) -> Model:
        """A model whose word tables know nothing of these folds."""
        key = frozenset(folds)
        if key not in self.fitted:
            rows = np.flatnonzero(~np.isin(self.fold, list(key)) & (self.weight > 0))
            found = []
            for matrix, common, penalty in (
                (self.name_matrix, self.common[0], NAME_PENALTY),
                (self.word_matrix, self.common[1], WORD_PENALTY),
            ):
                weights = np.zeros(matrix.shape[1], np.float32)
                weights[common] = logistic(matrix[rows][:, common], self.y[rows], self.weight[rows], penalty)
                found.append(weights.astype(np.float16).astype(np.float32))
            self.fitted[key] = make_model((found[0].reshape(4, -1).T.tolist(), found[1].tolist()), self)
        return self.fitted[key]


def make_model(weights: tuple[Any, Any], tables: Tables) -> Model:
    """A model with these word tables and no net yet."""
    name_weights, word_weights = weights
    words = WordWeights()
    places = {b"^": words.start, b"$": words.end, b"1": words.first, b"=": words.whole}
    for word, i in tables.words.ids.items():
        if word_weights[i]:
            places[word[:1]][word[1:]] = word_weights[i]
    used = sorted((w, i) for w, i in tables.names.ids.items() if any(name_weights[i]))
    names = {w: row for row, (w, _) in enumerate(used, 1)}
    rows = np.array([(0.0,) * 4, *(name_weights[i] for _, i in used)], np.float32)
    line = np.array([[0.0, 1.0], [0.0, 1.0]], np.float32)
    return Model(names, rows, words, np.zeros(1, np.float32), np.zeros(1, np.float32), [], line)


def table_features(item: Prepared, model: Model) -> Any:
    return complete(item.layout, *model.scores(item.blocks, item.layout))


def fit(items: list[Prepared], features: dict[str, Any], model: Model, seed: int, **options: Any) -> Model:
    x = np.concatenate([features[item.page.id] for item in items])
    y = np.concatenate([item.y for item in items])
    weight = np.concatenate([item.weight for item in items])
    model.mean, model.scale = standardize(x, weight)
    x = np.clip((x - model.mean) * model.scale, -CLIP, CLIP)
    rows = weight > 0
    model.layers = train_net(x[rows], y[rows], weight[rows], seed=seed, **options)
    return model


def calibrate(expected: list[float], real: list[float]) -> Any:
    """A rising curve from the expected to the real F1, through the means of equal parts.

    It is rounded, so that the last bit of a net's answer, which differs between processors, does not change the table.
    """
    order = np.argsort(expected, kind="stable")
    x, y = np.array(expected)[order], np.array(real)[order]
    parts = np.array_split(np.arange(len(x)), 12)
    points = np.array([[x[p].mean(), y[p].mean()] for p in parts])
    curve = np.maximum.accumulate(points, axis=0)
    points = np.vstack([[0, max(0, curve[0, 1] - curve[0, 0])], curve, [1, 1]])
    return points.round(4).T.astype(np.float32)


def tenths(expected: list[float], real: list[float]) -> str:
    order = np.argsort(expected, kind="stable")
    x, y = np.array(expected)[order], np.array(real)[order]
    return "  ".join(f"{x[p].mean():.3f} {y[p].mean():.3f}" for p in np.array_split(np.arange(len(x)), 10))


def report(scores: list[tuple[Page, float]]) -> None:
    groups: dict[str, list[float]] = defaultdict(list)
    for page, f1 in scores:
        language = page.language if page.language in ("en", "de", "zh") else "other"
        for key in ("all", page.origin if page.origin in ("fu", "ma", "mh", "wc", "np") else "mo rp go", language):
            groups[key].append(f1)
    print("  ".join(f"{key} {np.mean(v):.4f}" for key, v in sorted(groups.items())), flush=True)


def cross_validate(
    items: list[Prepared], tables: Tables, **options: Any
) -> tuple[list[Model], list[float], list[float]]:
    models, expected, real, scores = [], [], [], []
    for fold in range(FOLDS):
        started = time.process_time()
        train = [item for item in items if item.fold != fold]
        features = {item.page.id: table_features(item, tables.without(fold, item.fold)) for item in train}
        model = fit(train, features, tables.without(fold), seed=fold, **options)
        models.append(model)
        for item in items:
            if item.fold == fold and item.page.text:
                document = Document(item.page.html, item.page.url)
                document.model = model
                found = document.article
                f1 = text_score(found.text, item.page)[2]
                expected.append(found.confidence)
                real.append(f1)
                scores.append((item.page, f1))
        print(
            f"fold {fold}: {np.mean([s for _, s in scores]):.4f} so far, {time.process_time() - started:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    report(scores)
    return models, expected, real


def extraction_score(models: list[Model]) -> tuple[float, float, float]:
    results = []
    for page in load("extraction"):
        document = Document(page.html, page.url)
        document.model = models[fold_of(page.domain, FOLDS)]
        results.append((document.text, page))
    return string_score(results)


def cached_items(cache: Path | None, limit: int) -> tuple[list[Prepared], Vocabulary, Vocabulary]:
    """The prepared pages; kept in a file while the code that makes them stays the same."""
    sources = (block_module, feature_module, word_module, label_module)
    key = hashlib.sha256(b"".join(Path(module.__file__).read_bytes() for module in sources if module.__file__))
    file = cache / f"extract-{key.hexdigest()[:16]}-{limit}.pickle" if cache else None
    if file and file.exists():
        kept: tuple[list[Prepared], Vocabulary, Vocabulary] = pickle.loads(file.read_bytes())
        return kept
    names, words = Vocabulary(), Vocabulary()
    pages = load("fulltext") + load("extraction")
    items = prepare(pages[:: max(1, len(pages) // limit)] if limit else pages, names, words)
    if file:
        file.write_bytes(pickle.dumps((items, names, words), 5))
    return items, names, words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="cross-validate only")
    parser.add_argument("--cache", type=Path, help="folder for prepared pages, to try again faster")
    parser.add_argument("--limit", type=int, default=0, help="about this many pages only")
    options = parser.parse_args()
    items, names, words = cached_items(options.cache, options.limit)
    print(f"{len(items)} pages, {sum(len(i.y) for i in items)} blocks", flush=True)
    tables = Tables(items, names, words)
    models, expected, real = cross_validate(items, tables)
    print("confidence, said and real, by tenths:", tenths(expected, real))
    print("extraction/: precision {:.4f}  recall {:.4f}  F1 {:.4f}".format(*extraction_score(models)))
    if options.check:
        return
    features = {item.page.id: table_features(item, tables.without(item.fold)) for item in items}
    model = fit(items, features, tables.without(), seed=FOLDS)
    model.calibration = calibrate(expected, real)
    TABLE_FILE.write_bytes(save(model))
    print(f"{TABLE_FILE.name}: {TABLE_FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()

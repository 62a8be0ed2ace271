"""The evaluation pages and their scores: see the README beside the data for what each folder expects."""

from __future__ import annotations

import functools
import json
import os
import re
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tearsheet.urls import registered_domain

_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts that write no blanks: one token a character."""
_TOKEN = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+")
RUN = 4


@dataclass(slots=True)
class Page:
    """One evaluation page with all that is known of it."""

    id: str
    html: bytes
    url: str
    domain: str
    language: str = ""
    text: str = ""
    expected: dict[str, Any] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return self.id.partition("-")[0]


def data_folder() -> Path:
    """Where the evaluation pages are: TEARSHEET_SHARED_DATA, else beside the repository."""
    return Path(
        os.environ.get("TEARSHEET_SHARED_DATA") or Path(__file__).resolve().parents[1].parent / "shared" / "data"
    )


@functools.lru_cache(maxsize=3)
def load(folder: str) -> list[Page]:
    """All pages of `fulltext`, `extraction` or `dates`, in the order of their list."""
    base = data_folder() / folder
    expected = json.loads((base / "expected.json").read_text())
    with tarfile.open(base / "pages.tar.xz") as archive:
        files = {member.name.rpartition("/")[2]: _bytes(archive, member) for member in archive if member.isfile()}
    pages = []
    for key, value in expected.items():
        # One address of the list begins with a letter too many.
        url = value.get("url") or (key[key.index("http") :] if "://" in key else "")
        domain = value.get("domain") or (registered_domain(url) if url else key)
        html = files[value["file"].rpartition("/")[2]]
        pages.append(Page(key, html, url, domain, value.get("lang", ""), value.get("text", ""), value))
    return pages


def _bytes(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


def fold_of(domain: str, folds: int = 5) -> int:
    """Pages of one domain are always in the same fold."""
    import zlib

    return zlib.crc32(domain.encode()) % folds


def tokens(text: str) -> list[str]:
    """Words as the score counts them."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def runs(words: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Runs of four words with their number; a shorter text is one run."""
    if len(words) < RUN:
        return Counter([tuple(words)]) if words else Counter()
    return Counter(zip(words, words[1:], words[2:], words[3:], strict=False))


def text_score(found: str, page: Page) -> tuple[float, float, float]:
    """Precision, recall and F1 of a text by runs of four words, lines that are optional left out of both."""
    optional = [tokens(line) for line in page.expected.get("optional") or ()]
    got, want = runs(_without(tokens(found), optional)), runs(_without(tokens(page.text), optional))
    if not want:
        return (1.0, 1.0, 1.0) if not got else (0.0, 1.0, 0.0)
    right = sum((got & want).values())
    if not right:
        return 0.0, 0.0, 0.0
    precision, recall = right / sum(got.values()), right / sum(want.values())
    return precision, recall, 2 * precision * recall / (precision + recall)


def _without(words: list[str], lines: Iterable[list[str]]) -> list[str]:
    for line in lines:
        n = len(line)
        if not n:
            continue
        i = 0
        while i <= len(words) - n:
            if words[i] == line[0] and words[i : i + n] == line:
                del words[i : i + n]
            else:
                i += 1
    return words


def string_score(results: Iterable[tuple[str, Page]]) -> tuple[float, float, float]:
    """Precision, recall and F1 over the strings that texts must and must not contain."""
    tp = fn = fp = 0
    for text, page in results:
        for wanted in page.expected["with"]:
            found = wanted in text
            tp += found
            fn += not found
        fp += sum(unwanted in text for unwanted in page.expected["without"])
    precision, recall = tp / max(1, tp + fp), tp / max(1, tp + fn)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)

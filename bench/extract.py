"""Text, dates, titles, authors and speed side by side with other extractors, in one run and one process.

    python -m bench.extract               all pages: some minutes
    python -m bench.extract --sample 100  every so many pages only

The table shipped with the package was learned from the pages of `fulltext/` and `extraction/`, so that its text scores here are
too good; `python -m bench.train_extract --check` gives those for unseen domains. Nothing was learned from `dates/`.
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import trafilatura
from htmldate import find_date
from lxml.html import document_fromstring
from readability import Document as ReadabilityDocument
from resiliparse.extract.html2text import extract_plain_text

from bench.extract_data import Page, data_folder, load, string_score, text_score
from tearsheet.extract import Document, decode, extract
from tearsheet.extract.names import normalize_title

_ROUND = 25
"""Pages that one extractor gets before the next has its turn: short enough that a busy machine slows all alike."""
_NO_URL = "https://unknown.example/an-article"


def _readability(html: bytes) -> str:
    return " ".join(map(str, document_fromstring(ReadabilityDocument(decode(html)[0]).summary()).itertext()))


TEXT: dict[str, Callable[[Page], str]] = {
    "tearsheet (all fields)": lambda page: extract(page.html, page.url or _NO_URL).text_content or "",
    "trafilatura fast": lambda page: trafilatura.extract(page.html, fast=True) or "",
    "trafilatura": lambda page: trafilatura.extract(page.html) or "",
    "resiliparse": lambda page: extract_plain_text(decode(page.html)[0], main_content=True, alt_texts=False),
    "readability-lxml": lambda page: _readability(page.html),
}
FAST = "trafilatura fast"


def _our_date(page: Page) -> str | None:
    found = Document(page.html, page.url).publication_date
    return found[0].isoformat() if found else None


DATES: dict[str, Callable[[Page], str | None]] = {
    "tearsheet": _our_date,
    "htmldate": lambda page: find_date(page.html, url=page.url or None, extensive_search=True),
    "htmldate original": lambda page: find_date(
        page.html, url=page.url or None, extensive_search=True, original_date=True
    ),
    "trafilatura": lambda page: trafilatura.extract_metadata(page.html, default_url=page.url or None).date,
}
TITLES: dict[str, Callable[[Page], Any]] = {
    "tearsheet": lambda page: Document(page.html, page.url).title,
    "trafilatura": lambda page: trafilatura.extract_metadata(page.html, default_url=page.url or None).title,
}
AUTHORS: dict[str, Callable[[Page], Any]] = {
    "tearsheet": lambda page: Document(page.html, page.url).authors,
    "trafilatura": lambda page: (
        trafilatura.extract_metadata(page.html, default_url=page.url or None).author or ""
    ).split(";"),
}


def guarded(function: Callable[[Page], Any], page: Page) -> Any:
    """What an extractor finds; nothing when it fails."""
    try:
        return function(page)
    except Exception:
        return None


def take_turns(
    pages: list[Page], functions: dict[str, Callable[[Page], Any]]
) -> tuple[dict[str, list[Any]], dict[str, float]]:
    """Results and CPU seconds of each extractor, which get the same pages in short turns."""
    results: dict[str, list[Any]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for function in functions.values():
        guarded(function, pages[0])
    for start in range(0, len(pages), _ROUND):
        for name, function in functions.items():
            before = time.process_time()
            results[name] += [guarded(function, page) for page in pages[start : start + _ROUND]]
            seconds[name] += time.process_time() - before
    return results, seconds


def sampled(folder: str, size: int) -> list[Page]:
    pages = load(folder)
    return pages[:: max(1, len(pages) // size)] if size else pages


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / max(1, len(listed))


def table(title: str, header: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print(
            "  "
            + "  ".join(
                cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
        )


def bench_text(size: int) -> None:
    pages = sampled("fulltext", size)
    results, seconds = take_turns(pages, TEXT)
    strings = sampled("extraction", size)
    string_results, _ = take_turns(strings, TEXT)
    rows = []
    for name in TEXT:
        scores = [text_score(text or "", page) for text, page in zip(results[name], pages, strict=True)]
        of_strings = string_score((text or "", page) for text, page in zip(string_results[name], strings, strict=True))
        by_language = [
            mean(s[2] for s, page in zip(scores, pages, strict=True) if page.language == language)
            for language in ("en", "de", "zh")
        ]
        figures = [
            mean(s[0] for s in scores),
            mean(s[1] for s in scores),
            mean(s[2] for s in scores),
            *by_language,
            of_strings[2],
        ]
        pace = len(pages) / seconds[name]
        rows.append([name, *(f"{f:.4f}" for f in figures), f"{pace:.0f}", f"{seconds[FAST] / seconds[name]:.2f}"])
    kilobytes = mean(len(page.html) for page in pages) / 1000
    table(
        f"Text: {len(pages)} pages of {kilobytes:.0f} kB (fulltext/), {len(strings)} (extraction/); CPU time",
        ["", "P", "R", "F1", "F1 en", "F1 de", "F1 zh", "strings F1", "pages/s", "x fast"],
        rows,
    )


def bench_field(
    title: str, pages: list[Page], functions: dict[str, Callable[[Page], Any]], right: Callable[[Any, Page], bool]
) -> None:
    results, seconds = take_turns(pages, functions)
    rows = []
    for name in functions:
        hits = sum(right(value, page) for value, page in zip(results[name], pages, strict=True))
        none = sum(not value for value in results[name])
        rows.append(
            [name, f"{hits}/{len(pages)}", f"{hits / len(pages):.4f}", str(none), f"{len(pages) / seconds[name]:.0f}"]
        )
    table(title, ["", "right", "share", "none", "pages/s"], rows)


def same_names(found: Any, page: Page) -> bool:
    wanted = page.expected["authors"]
    wanted = wanted if isinstance(wanted, list) else [wanted]
    return {normalize_title(n) for n in found or () if n.strip()} == {normalize_title(n) for n in wanted}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=0, help="about this many pages of each folder")
    size = parser.parse_args().sample
    if not data_folder().exists():
        raise SystemExit(
            f"No evaluation pages in {data_folder()}: set TEARSHEET_SHARED_DATA to the folder that holds them."
        )
    logging.disable(logging.CRITICAL)
    bench_text(size)
    full = sampled("fulltext", size)

    def same_day(found: Any, page: Page) -> bool:
        return bool(found) and found == page.expected["date"][:10]

    bench_field("Dates (dates/)", sampled("dates", size), DATES, same_day)
    bench_field("Dates (fulltext/)", [p for p in full if p.expected.get("date")], DATES, same_day)
    bench_field(
        "Titles (fulltext/)",
        [p for p in full if p.expected.get("title")],
        TITLES,
        lambda found, page: normalize_title(found or "") == normalize_title(page.expected["title"]),
    )
    bench_field("Authors (fulltext/)", [p for p in full if p.expected.get("authors")], AUTHORS, same_names)


if __name__ == "__main__":
    main()

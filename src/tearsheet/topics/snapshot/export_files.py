"""Writes a snapshot's exports into a folder, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from tearsheet import tables
from tearsheet.errors import NotFoundError, StorageError, UsageError
from tearsheet.files import make_folder, write_whole
from tearsheet.near_names import did_you_mean
from tearsheet.topics.snapshot import export, page
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.map_png import to_png
from tearsheet.topics.snapshot.map_svg import to_svg
from tearsheet.topics.snapshot.parallel import over_timespans
from tearsheet.topics.snapshot.timespans import Counting, Figures, Timespan, timespans_of

FORMATS = ("csv", "jsonl", "parquet", "gexf", "graphml", "svg", "png", "html")
_PAGE_NODES = 300
_TABLES = {"csv", "jsonl", "parquet"}
_DRAWN = {"gexf", "graphml", "svg", "png", "html"}


@dataclass(slots=True, frozen=True)
class _Written:
    """What was written for a timespan."""

    files: list[Path]
    totals: dict[str, str | int]
    section: page.Section | None


def known_formats(formats: Sequence[str]) -> list[str]:
    """These formats, if there are such. Raises UsageError."""
    for unknown in sorted(set(formats) - set(FORMATS)):
        hint = did_you_mean(unknown, FORMATS, f"choose among {', '.join(FORMATS)}")
        raise UsageError(f"there is no format {unknown!r}; {hint}")
    return list(formats)


def write_export(frozen: Frozen, folder: Path, formats: Sequence[str], workers: int = 1) -> list[Path]:
    """Write every timespan in these known formats; returns the files.

    More than one worker means processes that share the work of a large topic.
    """
    done = over_timespans(frozen, partial(_write_timespan, folder, tuple(formats)), workers)
    written = [_write(folder / "summary.json", page.summary(frozen, [one.totals for one in done]).encode())]
    written += [file for one in done for file in one.files]
    if "html" in formats:
        written.append(_write_page(folder / "index.html", frozen, [one.section for one in done]))
    return written


def write_map(frozen: Frozen, file: Path, timespan: str = "overall", workers: int = 1) -> None:
    """Write one map in the format given by the file's suffix. Raises NotFoundError when there is no such timespan."""
    kind = file.suffix.lower().lstrip(".")
    if kind == "html":
        _write_page(file, frozen, over_timespans(frozen, _section_of, workers))
        return
    if kind not in _DRAWN:
        raise UsageError(f"{file}: a map is .html, .svg, .png, .gexf or .graphml")
    spans = {span.name: span for span in timespans_of(frozen)}
    if timespan not in spans:
        hint = did_you_mean(timespan, spans, f"there are: {', '.join(spans)}")
        raise NotFoundError(f"there is no timespan {timespan!r}; {hint}")
    figures = Counting(frozen).figures(spans[timespan])
    [(_, data)] = _maps(frozen.topic, figures, export.MediaMap(figures), [kind])
    _write(file, data)


def page_of(frozen: Frozen, ours: Collection[str] = frozenset()) -> str:
    """The page of a snapshot as it is served; the stories in `ours` have pages of their own there.

    Its maps show fewer sources than exported ones, because somebody is waiting for it.
    """
    return _page(frozen, over_timespans(frozen, partial(_section_of, limit=_PAGE_NODES, ours=ours)))


def _write_timespan(folder: Path, formats: Sequence[str], counting: Counting, timespan: Timespan) -> _Written:
    """Count a timespan and write its files. The layout is computed once for all of them."""
    figures, topic = counting.figures(timespan), counting.frozen.topic
    chart = export.MediaMap(figures) if _DRAWN & set(formats) else None
    files = [_write(folder / name, data) for name, data in _tables(figures, formats)]
    section = None
    if chart is not None:
        files += [_write(folder / name, data) for name, data in _maps(topic, figures, chart, formats)]
        if "html" in formats:
            section = page.make_section(figures, chart, topic)
    return _Written(files, page.totals_of(figures), section)


def _section_of(
    counting: Counting, timespan: Timespan, limit: int = export.MAX_NODES, ours: Collection[str] = frozenset()
) -> page.Section | None:
    figures = counting.figures(timespan)
    return page.make_section(figures, export.MediaMap(figures, limit), counting.frozen.topic, ours)


def _tables(figures: Figures, formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    found = export.tables_of(figures)
    for format_ in formats:
        if format_ in _TABLES:
            for table, (columns, rows) in found.items():
                yield f"{figures.timespan.name}/{table}.{format_}", table_bytes(format_, columns, rows)


def table_bytes(format_: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """A table as `csv`, `jsonl` or `parquet`."""
    if format_ == "csv":
        return b"".join(tables.csv_lines(columns, rows))
    if format_ == "jsonl":
        return b"".join(tables.jsonl_lines((dict(zip(columns, row, strict=True)) for row in rows), spaced=True))
    file = BytesIO()
    tables.write_parquet(columns, rows, file, export.COLUMN_TYPES)
    return file.getvalue()


def _maps(topic: str, figures: Figures, chart: export.MediaMap, formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    name = figures.timespan.name
    title = f"{topic}: who links to whom, {name}"
    if "gexf" in formats:
        yield f"{name}/media.gexf", export.to_gexf(chart, title)
    if "graphml" in formats:
        yield f"{name}/media.graphml", export.to_graphml(chart)
    if "svg" in formats:
        yield f"{name}/map.svg", to_svg(chart, title).encode("utf-8", "replace")
    if "png" in formats:
        yield f"{name}/map.png", to_png(chart)


def _page(frozen: Frozen, sections: Sequence[page.Section | None]) -> str:
    return page.to_page(frozen, [section for section in sections if section is not None])


def _write_page(path: Path, frozen: Frozen, sections: Sequence[page.Section | None]) -> Path:
    return _write(path, _page(frozen, sections).encode("utf-8", "replace"))


def _write(path: Path, data: bytes) -> Path:
    try:
        make_folder(path.parent)
        write_whole(path, data)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; choose another folder") from error
    return path

"""Writes a snapshot's exports into a folder, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from tearsheet import tables
from tearsheet.errors import NotFoundError, StorageError, UsageError
from tearsheet.files import make_folder, write_whole
from tearsheet.near_names import did_you_mean
from tearsheet.topics.foci import ALL_FOCI, COMMUNITIES, of_set, set_of
from tearsheet.topics.model import LEAST_SHARED
from tearsheet.topics.snapshot import export, page
from tearsheet.topics.snapshot.export_texts import TextsOf, with_texts
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.map_png import to_png
from tearsheet.topics.snapshot.map_svg import to_svg
from tearsheet.topics.snapshot.network_xml import Network, to_gexf, to_graphml
from tearsheet.topics.snapshot.networks import media_network, networks_of
from tearsheet.topics.snapshot.parallel import over_timespans
from tearsheet.topics.snapshot.sharing import sharing_of
from tearsheet.topics.snapshot.timespans import Counting, Figures, Timespan, timespans_of

FORMATS = ("csv", "jsonl", "parquet", "gexf", "graphml", "svg", "png", "html")
_PAGE_NODES = 300
_TABLES = {"csv", "jsonl", "parquet"}
_PICTURES = {"svg", "png"}
_NETWORKS = {"gexf": to_gexf, "graphml": to_graphml}
_DRAWN = {*_NETWORKS, *_PICTURES, "html"}


@dataclass(slots=True, frozen=True)
class _Wanted:
    """What is asked of an export."""

    folder: Path
    formats: tuple[str, ...]
    least_shared: int
    foci: tuple[str, ...]
    texts: TextsOf | None


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


def colored_foci(frozen: Frozen, color_by: str) -> tuple[str, ...]:
    """The foci that colours stand for, by what somebody asked for: none of them for communities. Raises UsageError."""
    if color_by == COMMUNITIES:
        return ()
    names = [name for name, _ in frozen.foci]
    found = of_set(names, color_by)
    if not found:
        sets = dict.fromkeys(set_of(name) for name in names if set_of(name))
        known = [COMMUNITIES, *([ALL_FOCI] if names else []), *sets, *names]
        hint = did_you_mean(color_by, known, f"choose among {', '.join(known)}")
        raise UsageError(f"--color-by: the snapshot has no focus or set of foci {color_by!r}; {hint}")
    return tuple(found)


def write_export(
    frozen: Frozen,
    folder: Path,
    formats: Sequence[str],
    workers: int = 1,
    least_shared: int = LEAST_SHARED,
    color_by: str = COMMUNITIES,
    texts: TextsOf | None = None,
) -> list[Path]:
    """Write every timespan in these known formats; returns the files.

    More than one worker means processes that share the work of a large topic. Those who share fewer pages than `least_shared`
    are not joined. With `texts`, the tables of stories have the text of each, and all is done in this process, which can read
    them. Raises UsageError for colours by what is not there.
    """
    wanted = _Wanted(folder, tuple(formats), least_shared, colored_foci(frozen, color_by), texts)
    done = over_timespans(frozen, partial(_write_timespan, wanted), 1 if texts is not None else workers)
    written = [_write(folder / "summary.json", page.summary(frozen, [one.totals for one in done]).encode())]
    written += [file for one in done for file in one.files]
    if "html" in formats:
        written.append(_write_page(folder / "index.html", frozen, [one.section for one in done]))
    return written


def write_map(
    frozen: Frozen, file: Path, timespan: str = "overall", workers: int = 1, color_by: str = COMMUNITIES
) -> None:
    """Write one map in the format given by the file's suffix.

    Raises NotFoundError when there is no such timespan, UsageError for colours by what is not there.
    """
    kind, foci = file.suffix.lower().lstrip("."), colored_foci(frozen, color_by)
    if kind == "html":
        _write_page(file, frozen, over_timespans(frozen, partial(_section_of, foci=foci), workers))
        return
    if kind not in _DRAWN:
        raise UsageError(f"{file}: a map is .html, .svg, .png, .gexf or .graphml")
    spans = {span.name: span for span in timespans_of(frozen)}
    if timespan not in spans:
        hint = did_you_mean(timespan, spans, f"there are: {', '.join(spans)}")
        raise NotFoundError(f"there is no timespan {timespan!r}; {hint}")
    figures = Counting(frozen).figures(spans[timespan])
    chart, title = export.MediaMap(figures, foci=foci), _map_title(frozen.topic, figures)
    if kind in _NETWORKS:
        _write(file, _NETWORKS[kind](media_network(chart, title)))
    else:
        _write(file, _drawn(kind, chart, title))


def page_of(frozen: Frozen, ours: Collection[str] = frozenset()) -> str:
    """The page of a snapshot as it is served; the stories in `ours` have pages of their own there.

    Its maps show fewer sources than exported ones, because somebody is waiting for it.
    """
    return _page(frozen, over_timespans(frozen, partial(_section_of, limit=_PAGE_NODES, ours=ours)))


def _write_timespan(wanted: _Wanted, counting: Counting, timespan: Timespan) -> _Written:
    """Count a timespan and write its files. The layout is computed once for all of them."""
    figures, topic, posts = counting.figures(timespan), counting.frozen.topic, bool(counting.frozen.posts)
    sharing, formats = sharing_of(counting, timespan, wanted.least_shared), wanted.formats
    tables = export.tables_of(figures) | export.sharing_tables(sharing, posts=posts)
    if wanted.texts is not None and _TABLES & set(formats):
        tables["stories"] = with_texts(*tables["stories"], wanted.texts)
    found = [_tables(tables, formats)]
    section = None
    if _DRAWN & set(formats):
        chart = export.MediaMap(figures, foci=wanted.foci)
        networks = networks_of(topic, figures, chart, sharing, posts=posts)
        found += [_networks(networks, formats), _pictures(chart, _map_title(topic, figures), formats)]
        if "html" in formats and page.is_shown(timespan):
            section = page.make_section(figures, chart, topic)
    files = [_write(wanted.folder / timespan.name / name, data) for name, data in chain.from_iterable(found)]
    return _Written(files, page.totals_of(figures, sharing), section)


def _section_of(
    counting: Counting,
    timespan: Timespan,
    limit: int = export.MAX_NODES,
    ours: Collection[str] = frozenset(),
    foci: Sequence[str] = (),
) -> page.Section | None:
    if not page.is_shown(timespan):
        return None
    figures = counting.figures(timespan)
    return page.make_section(figures, export.MediaMap(figures, limit, foci), counting.frozen.topic, ours)


def _tables(tables: Mapping[str, export.Table], formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for format_ in formats:
        if format_ in _TABLES:
            for table, (columns, rows) in tables.items():
                yield f"{table}.{format_}", table_bytes(format_, columns, rows)


def table_bytes(format_: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """A table as `csv`, `jsonl` or `parquet`."""
    if format_ == "csv":
        return b"".join(tables.csv_lines(columns, rows))
    if format_ == "jsonl":
        return b"".join(tables.jsonl_lines((dict(zip(columns, row, strict=True)) for row in rows), spaced=True))
    file = BytesIO()
    tables.write_parquet(columns, rows, file, export.COLUMN_TYPES)
    return file.getvalue()


def _networks(networks: Iterable[tuple[str, Network]], formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    wanted = [format_ for format_ in formats if format_ in _NETWORKS]
    for name, network in networks if wanted else ():
        for format_ in wanted:
            yield f"{name}.{format_}", _NETWORKS[format_](network)


def _pictures(chart: export.MediaMap, title: str, formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    for format_ in formats:
        if format_ in _PICTURES:
            yield f"map.{format_}", _drawn(format_, chart, title)


def _drawn(format_: str, chart: export.MediaMap, title: str) -> bytes:
    return to_png(chart) if format_ == "png" else to_svg(chart, title).encode("utf-8", "replace")


def _map_title(topic: str, figures: Figures) -> str:
    return f"{topic}: who links to whom, {figures.timespan.name}"


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

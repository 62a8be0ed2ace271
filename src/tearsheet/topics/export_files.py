"""Writing a snapshot's exports into a folder, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tearsheet.errors import StorageError, UsageError
from tearsheet.topics import drawing, export
from tearsheet.topics.snapshot_store import Frozen
from tearsheet.topics.timespans import Figures, all_figures, figures, timespans_of

FORMATS = ("csv", "jsonl", "parquet", "gexf", "graphml", "svg", "png", "html")


def write_export(frozen: Frozen, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write every timespan in these formats; the names of the files. Raises UsageError for an unknown format."""
    for unknown in sorted(set(formats) - set(FORMATS)):
        raise UsageError(f"there is no format {unknown!r}; choose among {', '.join(FORMATS)}")
    every = all_figures(frozen)
    written = [_write(folder / "summary.json", drawing.summary(frozen, every).encode())]
    for figures_ in every:
        for name, data in export_timespan(frozen, figures_, formats):
            written.append(_write(folder / name, data))
    if "html" in formats:
        written.append(_write(folder / "index.html", drawing.to_page(frozen, every).encode("utf-8", "replace")))
    return written


def export_timespan(frozen: Frozen, figures_: Figures, formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The files of one timespan: name and bytes."""
    name = figures_.timespan.name
    writers = {"csv": export.to_csv, "jsonl": export.to_jsonl, "parquet": export.to_parquet}
    for form in formats:
        if form in writers:
            for table, (columns, rows) in export.tables_of(figures_).items():
                yield f"{name}/{table}.{form}", writers[form](columns, rows)
    if set(formats) & {"gexf", "graphml", "svg", "png"}:
        chart = export.MediaMap(figures_)
        title = f"{frozen.topic}: who links to whom, {name}"
        if "gexf" in formats:
            yield f"{name}/media.gexf", export.to_gexf(chart, title)
        if "graphml" in formats:
            yield f"{name}/media.graphml", export.to_graphml(chart)
        if "svg" in formats:
            yield f"{name}/map.svg", drawing.to_svg(chart, title).encode("utf-8", "replace")
        if "png" in formats:
            yield f"{name}/map.png", drawing.to_png(chart)


def write_map(frozen: Frozen, file: Path, timespan: str = "overall") -> None:
    """Write one map, in the format that the file's name ends with. Raises KeyError when there is no such timespan."""
    kind = file.suffix.lower().lstrip(".")
    if kind == "html":
        _write(file, drawing.to_page(frozen, all_figures(frozen)).encode("utf-8", "replace"))
        return
    if kind not in ("svg", "png", "gexf", "graphml"):
        raise UsageError(f"{file}: a map is .html, .svg, .png, .gexf or .graphml")
    chosen = {span.name: span for span in timespans_of(frozen)}[timespan]
    [(_, data)] = export_timespan(frozen, figures(frozen, chosen), [kind])
    _write(file, data)


def _write(path: Path, data: bytes) -> Path:
    aside = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(data)
        aside.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}; choose another folder") from error
    return path

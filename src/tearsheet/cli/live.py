"""The live table of a run on a terminal: how far each stage has got, and the file that is being read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tearsheet.counts import how_many
from tearsheet.pipeline.queuers import Tally
from tearsheet.terminal import clean

_HEADINGS = ("stage", "stories", "a second", "waiting", "in work", "delayed")
_CELLS = 9
_GAP = 2


class _CleanConsole(Console):
    """A console that shows no control characters of the texts that it is given: names of files are by strangers."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What rich makes of an object. Everything that is shown passes here."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(clean(segment.text), segment.style)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print what others say above the table, in lines as they are: one that was broken could not be copied or clicked."""
        super().print(*objects, **options | {"soft_wrap": any(isinstance(one, Text) for one in objects)})


class LiveTable:
    """A table at the end of the terminal, which is replaced again and again; what others print goes above it."""

    def __init__(self, headline: str) -> None:
        self._headline = headline
        console = _CleanConsole(stderr=True, markup=False, emoji=False, highlight=False)
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveTable:
        """Show it."""
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take it away."""
        self._live.stop()

    def update(self, stages: Iterable[Sequence[str]], tally: Tally | None, paused: str, polling: str = "") -> None:
        """Show the stages, how far files are read and feeds polled if there are any, and why nothing more is queued if so.

        Of the columns, and of the line about polls, as much as the terminal has room for.
        """
        title = self._headline or None
        table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
        shown = min((self._live.console.width + _GAP) // (_CELLS + _GAP), len(_HEADINGS))
        for heading in _HEADINGS[:shown]:
            table.add_column(heading, justify="left" if heading == "stage" else "right", min_width=_CELLS)
        for row in stages:
            table.add_row(*row[:shown])
        why = [Text(f"Nothing more is queued: {paused}", style="bold yellow")] if paused else []
        polls = [Text(polling, style="dim", no_wrap=True, overflow="ellipsis")] if polling else []
        self._live.update(Group(*([_reading(tally)] if tally else []), table, *polls, *why), refresh=True)


def _reading(tally: Tally) -> Table:
    """How far the queuer has got: a bar for the bytes of all files, and the file it is reading."""
    row = Table.grid(padding=(0, 1))
    name = tally.file.rpartition("/")[2]
    state = "waits for room" if tally.waiting else f"{how_many(tally.stories, 'story')}"
    files = f"file {min(tally.finished + tally.skipped + tally.failed + 1, tally.files):,} of {tally.files:,}"
    bar = ProgressBar(total=max(tally.bytes_total, 1), completed=tally.bytes_done, width=30)
    row.add_row(bar, files, name, state)
    return row

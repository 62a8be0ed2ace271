"""What every command shares: its settings, its services, its output, and how an error becomes one line and an exit code."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer

from tearsheet import app as program
from tearsheet import telemetry
from tearsheet.cli.layout import rows_as_lines
from tearsheet.cli.pager import paged
from tearsheet.cli.percent import Share, in_percent
from tearsheet.cli.pieces import Line, Piece
from tearsheet.cli.pipes import Printer, erase_progress, let_go_of_broken_pipes, output_errors, standard_output
from tearsheet.errors import StorageError, TearsheetError, UsageError, WorkerError
from tearsheet.files import keep_private
from tearsheet.log import set_up_logging
from tearsheet.masking import redacted
from tearsheet.start import INTERRUPTED
from tearsheet.start import begin as begin_command
from tearsheet.tables import csv_lines, jsonl_lines
from tearsheet.terminal import clean, clean_line, safe_json

if TYPE_CHECKING:
    from tearsheet.app import Services
    from tearsheet.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

out = Printer()
err = Printer(stderr=True)


class Globals:
    """The options before the command: `--data`, `--log-level`, `--log-format`, `--quiet`, `--no-pager`."""

    data: Path | None = None
    flags: dict[str, Any] = {}  # noqa: RUF012 - replaced, never changed
    quiet: bool = False
    pager: bool = True
    begun: bool = False
    """Whether a command runs; before, only typer has anything to print."""


def settings_for(*, own: bool = False, **flags: Any) -> Settings:
    """The settings for this call; `flags` are setting names with `__` for the dot, as in `web__port=8701`.

    `own` says that the command is about a collection of one's own, and never about the demo.
    """
    from tearsheet.settings import load_settings, unknown_variables  # not needed for a help text, and slow to import

    named = {name.replace("__", "."): value for name, value in flags.items()}
    given = Globals.flags | {name: value for name, value in named.items() if value is not None}
    settings = load_settings(Globals.data, given)
    if not own:
        named_folder, settings = settings.data, program.of_what_is_there(settings, given)
        if settings.data != named_folder and not Globals.quiet:
            err.print(f"Reading the demo in {from_here(settings.data)}; --data names another", style="dim")
    begin(settings)
    for name, meant in unknown_variables().items():
        advice = f"did you mean {meant}?" if meant else "`tearsheet config show` lists the settings"
        err.print(f"tearsheet: warning: the environment variable {name} sets nothing; {advice}", style="yellow")
    return settings


def from_here(path: Path) -> str:
    """A path as one would type it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def begin(settings: Settings) -> None:
    """Log as the settings say, give new files the rights that they say, and tell those who watch from elsewhere."""
    set_up_logging(settings.log.level, settings.log.format)
    keep_private(group_reads=settings.storage.group_reads)
    telemetry.close()  # of an earlier command of this process
    if settings.log.sentry_dsn or any(name.startswith("OTEL_EXPORTER_OTLP_") for name in os.environ):
        from tearsheet.app import begin_telemetry  # few want it, and it loads a library

        begin_telemetry(settings)


def services_for(*, own: bool = False, begins: bool = False, **flags: Any) -> Services:
    """The services for this call, for use in a `with` block. Only a command that `begins` a data folder makes one, and says so."""
    from tearsheet.app import Services  # not needed for a help text, and slow to import

    return Services(settings_for(own=own, **flags), begins=begins or own, tell=_tell_of_new_folder)


def _tell_of_new_folder(folder: Path) -> None:
    if Globals.quiet:
        return
    demo = folder / program.DEMO_FOLDER
    if demo.is_dir():
        said = f"New collection in {from_here(folder)}: commands read it from now on, and the demo with --data {from_here(demo)}"
    else:
        said = f"New data folder {from_here(folder)}"
    err.print(said, style="dim")


def reports_errors(command: Callable[P, T]) -> Callable[P, T]:
    """A user's error becomes one line on stderr and its documented exit code; a defect keeps its traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        begin_command()
        Globals.begun = True
        try:
            _require_folder_to_be_in()
            return command(*args, **kwargs)
        except TearsheetError as error:
            if isinstance(error, WorkerError):
                telemetry.report(error)
            with suppress(BrokenPipeError, StorageError):  # of stderr
                err.print(f"tearsheet: {error}", style="red")
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt:
            with suppress(BrokenPipeError, StorageError):  # of stderr
                err.print("tearsheet: interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            if not let_go_of_broken_pipes():
                raise  # some other connection
            raise typer.Exit(0) from None  # the reader of our output has enough

    return run


def _require_folder_to_be_in() -> None:
    """Raises UsageError in a folder that somebody has removed: no path means anything there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise UsageError("the folder that you are in no longer exists: change to another one with `cd`") from None


def show(
    rows: Iterable[Any], columns: Mapping[str, str], *, form: str = "table", title: str | None = None, empty: str = ""
) -> None:
    """Print results: for people, or `json`, `jsonl` or `csv` for programs. Rows are dataclasses or mappings.

    People see a table, or a block for each row where that is too wide. `empty` is printed instead of a table without rows: it
    says what is missing, and how to get it.
    """
    values = (_as_mapping(row) for row in rows)
    if form == "json":
        print_out(json.dumps(list(values), ensure_ascii=False, indent=2, default=str))
    elif form == "jsonl":
        write_out(jsonl_lines(values, spaced=True))
    elif form == "csv":
        write_out(csv_lines(columns, ([value.get(name) for name in columns] for value in values)))
    else:
        texts = [[as_text(value.get(name)) for name in columns] for value in values]
        if empty and not texts:
            out.print(empty)
            return
        heading: list[Line] = [[Piece(title, "bold")]] if title else []
        show_lines([*heading, *rows_as_lines(list(columns.values()), texts, out.width)])


def show_lines(lines: Iterable[Line]) -> None:
    """Print lines for people, through their pager when there are more than fit on the screen."""
    written: Iterable[str] = map(out.line, lines)
    if out.is_terminal and Globals.pager:
        written = paged(written, shutil.get_terminal_size().lines)
    for line in written:
        out.write(line)


def write_out(lines: Iterable[bytes]) -> None:
    """Write lines for programs to stdout as they are, after anything printed before; on a terminal, cleaned.

    Raises StorageError when it cannot.
    """
    stdout = standard_output()
    on_terminal = stdout.isatty()
    erase_progress()
    with output_errors():
        stdout.flush()
    for line in lines:  # what goes wrong in making a line is no error of the output
        with output_errors():
            stdout.buffer.write(clean(line.decode("utf-8", "replace")).encode() if on_terminal else line)
    with output_errors():
        stdout.buffer.flush()


def print_out(text: str) -> None:
    """Print JSON or another line for programs to stdout. Raises StorageError when it cannot."""
    erase_progress()
    with output_errors():
        print(safe_json(text), file=standard_output(), flush=True)


def _as_mapping(row: Any) -> Mapping[str, Any]:
    return asdict(row) if is_dataclass(row) and not isinstance(row, type) else row


def as_text(value: Any) -> str:
    """A value as people read it, in one line."""
    if value is None or value == "":
        return "–"
    if isinstance(value, Share):
        return in_percent(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else clean_line(redacted(str(value)))


def output_form(json_: bool, jsonl: bool, csv_: bool) -> str:
    """The output form chosen by the flags `--json`, `--jsonl` and `--csv`; `table` without any."""
    return "json" if json_ else "jsonl" if jsonl else "csv" if csv_ else "table"

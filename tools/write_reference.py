"""Write the reference pages that are made from the program itself: settings, exit codes, commands, Python and the
HTTP API.

Run `make docs` after a setting, a command, an exit code or an address of the API has changed. A test fails when the pages are
out of date.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.errors import EXIT_CODES
from tearsheet.settings import Settings, declared_settings
from tearsheet.web.app import create_app
from tearsheet.web.metrics import METRICS
from tearsheet.web.reasons import REASON_TEXTS
from tools.python_reference import python_page

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "A value is taken from the first of these places that has one: a flag of the command, the environment, `config.toml`",
        "in the data folder, the default. `tearsheet config show --sources` says which it was. In the environment a setting is",
        "written with `TEARSHEET_` before it and `_` for the dot: `web.port` is `TEARSHEET_WEB_PORT`; with `_FILE` behind it, the",
        "value is read from that file, which is the place for passwords.",
    ]
    section = ""
    for declared in declared_settings():
        head = declared.name.partition(".")[0]
        if head != section:
            section = head
            lines += ["", f"## {section}", "", "| setting | default | meaning |", "|---|---|---|"]
        lines.append(f"| `{declared.name}` | `{declared.default}` | {declared.help} |")
    return "\n".join(lines) + "\n"


def exit_codes_page() -> str:
    rows = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    errors = "Which error ends a command with which code: [Errors: three kinds](../explanation/errors.md)."
    empty = [
        "`tearsheet run --once` ends with 3 when a feed could not be read, and says which. A search that finds nothing ends with 0",
        "and says why on stderr. `tearsheet topic seed --index` that finds nothing ends with 5, and so do `run`, `map` and",
        "`export` of a topic that has nothing to work on, and commands that only read in a `--data` folder that does not exist.",
    ]
    return "\n".join(["# Exit codes", "", "| code | meaning |", "|---|---|", *rows, "", errors, "", *empty]) + "\n"


def commands_page() -> str:
    lines = [
        "# Commands",
        "",
        "Results go to stdout, progress and logs to stderr. `--data FOLDER`, `--log-level`, `--log-format` and `--quiet` stand",
        "before the command. `tearsheet COMMAND --help` says the same as this page.",
    ]
    lines += _describe(typer.main.get_command(app), "tearsheet")
    return "\n".join(lines) + "\n"


def _describe(group: Any, prefix: str) -> list[str]:
    lines: list[str] = []
    for name in group.list_commands(None):
        full, command = f"{prefix} {name}", group.get_command(None, name)
        if hasattr(command, "commands"):
            lines += ["", f"## `{full}`", "", str(command.help or "").strip(), *_describe(command, full)]
            continue
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
        usage = " ".join([full, *(p.metavar or str(p.name).upper() for p in arguments)])
        heading = "##" if prefix == "tearsheet" else "###"
        lines += ["", f"{heading} `{full}`", "", " ".join(str(command.help or "").split()), "", f"    {usage}"]
        if options:
            lines += ["", "| option | meaning |", "|---|---|"]
            lines += [
                f"| `{', '.join((*p.opts, *p.secondary_opts))}` | {' '.join((p.help or '').split())} |" for p in options
            ]
    return lines


_METRICS_NOTES = """\
No counter falls while its series is there. `tearsheet_stories_total` and `tearsheet_stage_seconds` are kept in the database:
they are of all workers and pipelines, and stay when processes end and when the ledger is folded. An outcome counts when it is
recorded, so a story that is tried three times and then dropped counts three times as `retrying`, each with its reason, and once as
`dropped`. A message that is delivered twice counts once. How many stories ended in each way, each counted once, is what
`tearsheet stats` says. A worker adds its times every five seconds and at its end; one that is killed loses up to five seconds of
them. Stages of topics and of the ingest are not timed. The counters of requests, of the event loop and of reading processes begin
afresh with their process.

On RabbitMQ, `tearsheet_queue_oldest_seconds` takes the first message of each queue and puts it back where it was, because quorum
queues do not tell when it came. RabbitMQ then marks it as redelivered. Messages that an earlier version sent have no age.
"""


def metrics_page() -> str:
    lines = [
        "# Metrics",
        "",
        "`tearsheet serve` and `tearsheet run` answer `/metrics` in the text format of Prometheus.",
        "",
        _METRICS_NOTES,
    ]
    rows = [
        f"| `{name}` | {metric.kind} | {', '.join(f'`{label}`' for label in metric.labels)} | {metric.help} |"
        for name, metric in METRICS.items()
    ]
    return "\n".join([*lines, "| metric | kind | labels | meaning |", "|---|---|---|---|", *rows]) + "\n"


def reasons_page() -> str:
    lines = [
        "# Reasons",
        "",
        "Why a story is not there: the words that `tearsheet stats`, the ledger and `tearsheet_stories_total` count.",
        "Where a number stands behind `http-`, it is the status that the server answered with.",
        "",
    ]
    rows = [f"| `{reason}` | {words} |" for reason, words in sorted(REASON_TEXTS.items())]
    return "\n".join([*lines, "| reason | meaning |", "|---|---|", *rows]) + "\n"


def openapi_text() -> str:
    """The description of the HTTP API, as `/openapi.json` gives it."""
    with tempfile.TemporaryDirectory() as folder, Services(Settings(Path(folder))) as services:
        return json.dumps(create_app(services).openapi(), indent=1, ensure_ascii=False) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "exit-codes.md": exit_codes_page,
    "commands.md": commands_page,
    "metrics.md": metrics_page,
    "reasons.md": reasons_page,
    "python.md": python_page,
    "openapi.json": openapi_text,
}
"""Each file of the reference that is made from the program, and how."""


def main() -> None:
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), "utf-8")


if __name__ == "__main__":
    main()

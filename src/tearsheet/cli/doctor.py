"""`tearsheet doctor`: checks what most often goes wrong, and says what to do about it."""

from __future__ import annotations

import typer

from tearsheet import app as program
from tearsheet.cli.context import out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import JsonlOption, JsonOption


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(doctor)


@reports_errors
def doctor(json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """Check folder, disk, engines, stores, readers of pages, who is told of errors, and the port; exit code 1 if one is wrong.

    Each engine and store is written to, read and cleaned up again; the index is only read.
    """
    with services_for() as services:
        checks = list(program.examine(services))
    if json or jsonl:
        show(checks, {}, form=output_form(json, jsonl, False))
    else:
        for check in checks:
            mark, style = ("note ", "yellow") if check.advice else ("ok   ", "green") if check.ok else ("wrong", "red")
            out.print(mark, style=style, end=" ")
            out.print(f"{check.name}: {check.found}" + (f"; to change that: {check.advice}" if check.advice else ""))
    if not all(check.ok for check in checks):
        raise typer.Exit(1)

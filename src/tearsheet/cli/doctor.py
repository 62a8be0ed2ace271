"""`tearsheet doctor`: checks what most often goes wrong, and says what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.app import examine
from tearsheet.cli.context import out, reports_errors, services_for, show


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(doctor)


@reports_errors
def doctor(json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Check the data folder, the disk, the clock, the engines and the port; exit code 1 when something is wrong."""
    with services_for() as services:
        checks = list(examine(services))
    if json:
        show(checks, {}, form="json")
    else:
        for check in checks:
            mark = "[green]ok   [/green]" if check.ok else "[red]wrong[/red]"
            out.print(f"{mark} {check.name}: ", end="")
            out.print(check.found, markup=False)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)

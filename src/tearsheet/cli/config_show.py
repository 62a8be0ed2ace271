"""`tearsheet config show`: every setting, its value, and where the value came from."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.cli.context import output_form, reports_errors, settings_for, show
from tearsheet.cli.options import JsonlOption, JsonOption

app = typer.Typer(
    help="Settings of the data folder, which its config.toml or the environment sets.", no_args_is_help=True
)


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="config")


@app.callback()
def group() -> None:
    """Settings of the data folder."""


@app.command("show")
@reports_errors
def show_settings(
    sources: Annotated[bool, typer.Option("--sources", help="Say where each value came from.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Show every setting with its value and meaning. Passwords and tokens are hidden."""
    from tearsheet.settings import declared_settings  # not needed for a help text, and slow to import

    settings = settings_for()
    rows = []
    for declared in declared_settings():
        row = {"name": declared.name, "value": declared.shown(settings)}
        if sources:
            row |= {"source": settings.sources.get(declared.name, "default"), "variable": declared.variable}
        rows.append(row | {"help": declared.help})
    columns = {"name": "setting", "value": "value"}
    columns |= {"source": "from", "variable": "environment"} if sources else {"help": "meaning"}
    show(rows, columns, form=output_form(json, jsonl, False), title=f"data folder: {settings.data}")

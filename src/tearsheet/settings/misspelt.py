"""Variables of the environment that were meant as settings, and are none."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields

from tearsheet.near_names import near_names
from tearsheet.settings.declared import declared_settings
from tearsheet.settings.sections import Settings


def unknown_variables(environ: Mapping[str, str] | None = None) -> dict[str, str | None]:
    """Variables of the environment that look like settings and set nothing, each with the name that was perhaps meant."""
    variables = [declared.variable for declared in declared_settings()]
    known = {"TEARSHEET_DATA", "TEARSHEET_PAGER", *variables, *(f"{variable}_FILE" for variable in variables)}
    sections = tuple({f"TEARSHEET_{item.name.upper()}_" for item in fields(Settings)})
    found: dict[str, str | None] = {}
    for name in sorted(os.environ if environ is None else environ):
        if not name.startswith("TEARSHEET_") or name in known:
            continue
        short = name.removeprefix("TEARSHEET_")
        near = [variable for variable in variables if variable.endswith(f"_{short}")] or [
            f"TEARSHEET_{one}"
            for one in near_names(short, [one.removeprefix("TEARSHEET_") for one in sorted(known)], 1)
        ]
        if near or name.startswith(sections):
            found[name] = near[0] if near else None
    return found

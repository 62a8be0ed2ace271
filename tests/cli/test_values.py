"""What was typed means what typer takes it for, and is refused as typer refuses it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer._coercion import build_runtime_param
from typer.main import get_command

from tearsheet.cli.status import By
from tearsheet.cli.values import QuickReader, read_quickly


def every_kind(
    text: Annotated[str, typer.Option()] = "",
    number: Annotated[int, typer.Option(min=1, max=100)] = 5,
    part: Annotated[float, typer.Option()] = 0.5,
    flag: Annotated[bool, typer.Option("--flag")] = False,
    day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"])] = None,
    path: Annotated[Path | None, typer.Option()] = None,
    folder: Annotated[Path | None, typer.Option(file_okay=False)] = None,
    by: Annotated[By | None, typer.Option()] = None,
    names: Annotated[list[str] | None, typer.Option()] = None,
    paths: Annotated[list[Path] | None, typer.Argument()] = None,
) -> None:
    """A command with values of every kind that ours have."""


def parameters() -> dict[str, Any]:
    app = typer.Typer(add_completion=False)
    app.command()(every_kind)
    return {str(parameter.name): parameter for parameter in get_command(app).params}


SINGLE = (
    None, "", "a", "ä 1", "\udcff", "5", "05", "0", "101", "5.0", " 5 ", "1_0", "-1", "²", "9" * 30, 5, 0, 0.5, True, "yes",
    "2026-11-15", "2026-02-30", "2026-1-5", "day", "feed", "FEED", "a\0b", "/", __file__, Path("a"), b"a",
)  # fmt: skip
VALUES = (*SINGLE, *([value] for value in SINGLE), (), ("a", "b"), ["a", "\udcff"])


def read(reader: Any, value: Any, parameter: Any) -> tuple[str, Any]:
    """The type and value that are read, or the refusal."""
    try:
        found = reader.coerce(value, param=parameter, ctx=None)
    except (typer.BadParameter, TypeError) as refused:
        return "refused", str(refused)
    return str(type(found)), found


@pytest.mark.parametrize("name", parameters())
def test_a_value_is_read_as_typer_reads_it(name):
    parameter = parameters()[name]
    for value in VALUES:
        theirs = read(build_runtime_param(parameter.type_descriptor), value, parameter)
        assert read(QuickReader(parameter.type_descriptor), value, parameter) == theirs, value


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("text", "ä 1", "ä 1"),
        ("number", "07", 7),
        ("number", 5, 5),
        ("day", "2026-11-15", datetime(2026, 11, 15)),
        ("path", "a/b", Path("a/b")),
        ("by", "feed", By.feed),
        ("names", ("a", "b"), ["a", "b"]),
        ("names", None, ()),
        ("paths", ("a",), [Path("a")]),
        ("text", None, None),
    ],
)
def test_what_is_plainly_right_needs_no_validator(name, value, meant, monkeypatch):
    monkeypatch.setattr("tearsheet.cli.values.build_runtime_param", None)
    [parameter] = read_quickly([parameters()[name]])
    assert parameter.get_runtime_param().coerce(value, param=parameter, ctx=None) == meant

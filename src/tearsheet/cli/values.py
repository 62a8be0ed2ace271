"""Reading what was typed for options and arguments, quickly where it is plainly what they take.

Typer reads every value with a validator of pydantic, and loading that takes longer than most commands take to run. Numbers, names,
days and paths need none. Whatever is not plainly right is left to typer, which knows what to say of it.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from typer._coercion import build_runtime_param  # what typer itself calls for a parameter when it is first read
from typer._param_types import coerce_cli_choice, coerce_cli_path


def read_quickly(parameters: list[Any]) -> list[Any]:
    """The parameters of a command, which typer has made, as this module reads their values."""
    for parameter in parameters:
        parameter._runtime_param = QuickReader(parameter.type_descriptor)
    return parameters


class QuickReader:
    """Takes the place of typer's reader of one parameter."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """What a value means. Raises typer's errors."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return self._plain(value, param, ctx)
        except ValueError:
            return build_runtime_param(self._kind).coerce(value, param=param, ctx=ctx)

    def _plain(self, value: Any, param: Any, ctx: Any) -> Any:
        """A value that is plainly right; raises ValueError for others."""
        kind, given = self._kind.annotation, self._kind.parameter_info
        if kind == list[str] and isinstance(value, list | tuple):
            return [_text(item) for item in value]
        if kind == list[Path] and isinstance(value, list | tuple):
            return [_path(item, given, param, ctx) for item in value]
        if kind is str:
            return _text(value)
        if kind is int:
            return _number(value, given)
        if kind is datetime and given.formats:
            return datetime.strptime(_text(value), given.formats[0])
        if kind is Path:
            return _path(value, given, param, ctx)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return coerce_cli_choice(value, choices=tuple(kind), case_sensitive=given.case_sensitive, ctx=ctx)
        raise ValueError


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ValueError
    value.encode()  # bytes that are no text raise a ValueError
    return value


def _number(value: Any, given: Any) -> int:
    if type(value) is not int:
        if not (_text(value).isascii() and value.isdigit() and len(value) < 20):
            raise ValueError
        value = int(value)
    if (given.min is not None and value < given.min) or (given.max is not None and value > given.max):
        raise ValueError
    return int(value)


def _path(value: Any, given: Any, param: Any, ctx: Any) -> Any:
    return coerce_cli_path(Path(_text(value)), given, path_type=Path, param=param, ctx=ctx)

"""What a setting's value is, whichever way it was written: in TOML, or as text in a flag or a variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from tearsheet.errors import ConfigError
from tearsheet.settings.declared import Declared

_LARGEST = {
    "_days": 36_500, "_minutes": 10_000_000, "_seconds": 1_000_000_000, "_processes": 1_000, "concurrency": 10_000,
}  # fmt: skip
"""What numbers may be at most, by the ends of their names: more would mean nothing but that a clock or the machine fails."""
_SMALLEST = {"_minutes": 1, "concurrency": 1, "per_host": 1}
"""What numbers may be at least, by the ends of their names: with 0 nothing would be done, or without any pause."""


def converted(value: Any, declared: Declared, source: str) -> Any:
    """`value` as the type that was declared. Raises a ConfigError that names the setting and the source."""
    kind = get_origin(declared.type) or declared.type
    try:
        typed = _CONVERTERS[kind](value, get_args(declared.type))
    except (ValueError, TypeError, OverflowError) as error:
        told = "its value" if declared.secret else repr(value)
        raise ConfigError(f"{declared.name} (from {source}): {told} is not {_KIND_NAMES[kind]}: {declared.help}") from (
            None if declared.secret else error
        )
    if kind in (int, float) and typed > (most := _bound(declared.name, _LARGEST, 2**53)):
        raise ConfigError(f"{declared.name} (from {source}): {value!r} is more than {most:,}, the most that it may be")
    if kind in (int, float) and typed < (least := _bound(declared.name, _SMALLEST, 0)):
        raise ConfigError(f"{declared.name} (from {source}): {value!r} is less than {least}, the least that it may be")
    return typed


def _bound(name: str, bounds: Mapping[str, int], otherwise: int) -> int:
    return next((bound for ending, bound in bounds.items() if name.endswith(ending)), otherwise)


def _to_bool(value: Any, _: Any) -> bool:
    if isinstance(value, bool):
        return value
    values = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return values[str(value).lower()]
    except KeyError:
        raise ValueError("not a boolean") from None


def _to_number(kind: type) -> Any:
    def convert(value: Any, _: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("a boolean is not a number")
        number = kind(value)
        if number != number:
            raise ValueError("NaN is no number")
        return number

    return convert


def _to_text(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("not text")
    return value


def _to_choice(value: Any, choices: tuple[str, ...]) -> str:
    if str(value).lower() not in choices:
        raise ValueError("not a choice")
    return str(value).lower()


def _to_list(value: Any, _: Any) -> list[str]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list):
        raise ValueError("not a list")
    return [str(item).strip() for item in items if str(item).strip()]


def _to_dict(value: Any, _: Any) -> dict[str, str]:
    if isinstance(value, str):
        value = dict(pair.split("=", 1) for pair in value.split(",") if pair)
    if not isinstance(value, dict):
        raise ValueError("not a table")
    return {str(key): str(item) for key, item in value.items()}


_CONVERTERS: dict[Any, Any] = {
    bool: _to_bool, int: _to_number(int), float: _to_number(float), str: _to_text, list: _to_list, dict: _to_dict,
    Literal: _to_choice,
}  # fmt: skip
_KIND_NAMES: dict[Any, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text", list: "a list", dict: "a table of names",
    Literal: "one of its values",
}  # fmt: skip

"""What typer says of our commands and of what was typed, in plain words: helps, kinds of values, and near names for mistakes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tearsheet.cli.values import read_quickly
from tearsheet.near_names import did_you_mean, near_names
from tearsheet.terminal import clean

_WORDS = {"int": "NUMBER", "float": "NUMBER", "str": "TEXT", "Path": "PATH", "datetime": "DAY"}
"""What is shown for a value in a help text, by the name of its type."""
_LARGEST = 1_000_000_000
"""The largest number that any option takes: more than anybody means, and less than engines, dates and counters can hold."""
_KINDS = {"int": "whole number", "float": "number"}
_TOO_MANY = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.DOTALL)
_SENTENCE = re.compile(r".*?\.(?=\s|$)")


def in_plain_words(command: Any) -> Any:
    """A command of typer and those under it, with plain helps: without boxes, and with words for the kinds of values.

    Its numbers get limits, so that none is larger than what the program can count with, and its values are read quickly.

    Typer's own helps need a library that takes longer to load than the command, and cut sentences.
    """
    command.rich_markup_mode = None
    command.get_params = partial(_quick_parameters, command.get_params)
    command.short_help = first_sentence(command.help or "")
    for parameter in command.params:
        _bounded(parameter)
        if parameter.metavar is None and not getattr(parameter, "is_flag", False):
            parameter.metavar = _word_for(parameter)
        if parameter.param_type_name == "argument":
            usage = parameter.metavar if parameter.required else f"[{re.sub(r'[][]', '', parameter.metavar)}]"
            parameter.display_type_rich = _nothing
            parameter._usage_display_name = partial(str, usage)
    if hasattr(command, "commands"):
        command.resolve_command = partial(_resolve_command, command.commands, command.resolve_command)
        for part in command.commands.values():
            in_plain_words(part)
    return command


def _quick_parameters(parameters: Callable[[Any], list[Any]], ctx: Any) -> list[Any]:
    """The parameters of a command, and `--help`, which typer adds when they are asked for."""
    return read_quickly(parameters(ctx))


def _bounded(parameter: Any) -> None:
    """A number without limits of its own gets those that hold for all, so that typer says what is too large."""
    if parameter.bare_type() in _KINDS:
        given = parameter.type_descriptor.parameter_info
        given.min = 0 if given.min is None else given.min
        given.max = _LARGEST if given.max is None else given.max


def _resolve_command(
    commands: Collection[str], resolve: Callable[[Any, list[str]], Any], ctx: Any, args: list[str]
) -> Any:
    """What typer does to find a command of a group, with our words for one that does not exist."""
    if args[0] not in commands and not args[0].startswith("-"):
        ctx.fail(no_such_command(args[0], commands, ctx.command_path))
    return resolve(ctx, args)


def _nothing(*_: Any, **__: Any) -> str:
    return ""


def first_sentence(text: str) -> str:
    """What a list of commands says of one."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    found = _SENTENCE.match(paragraph)
    return found[0] if found else paragraph


def _word_for(parameter: Any) -> str:
    kind = parameter.type_descriptor
    if kind.is_choice:
        return "|".join(str(choice.value) for choice in kind.choices)
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper() + ("…" if kind.is_list else "")
    name = parameter.bare_type()
    return _WORDS.get(name.removeprefix("list[").removesuffix("]"), "VALUE")


def no_such_command(typed: str, known: Iterable[str], group: str = "tearsheet") -> str:
    """What is said of a command that does not exist in a group."""
    return f"there is no command {typed!r}; {did_you_mean(typed, known, f'`{group} --help` lists them')}"


@contextmanager
def cleaned_errors() -> Iterator[None]:
    """Typer prints what was typed as it is when it refuses it; others may have written that."""
    try:
        yield
    except Exception as error:
        if callable(format_message := getattr(error, "format_message", None)):
            told = clean(_near_options(error) or _no_number(error) or _too_many(error) or format_message())
            error.format_message = lambda: told  # type: ignore[attr-defined]
        raise


def _near_options(error: Any) -> str:
    """What is said of an option that does not exist, and is like one that does; empty for other errors."""
    typed, command = getattr(error, "option_name", None), getattr(getattr(error, "ctx", None), "command", None)
    if type(error).__name__ != "NoSuchOption" or command is None:
        return ""
    near = near_names(
        str(typed), (name for parameter in command.params for name in parameter.opts if name.startswith("--"))
    )
    return f"there is no option {typed}; did you mean {' or '.join(near)}?" if near else ""


def _no_number(error: Any) -> str:
    """What is said of a value that should be a number; empty for other errors."""
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    kind = _KINDS.get(str(found[0]["type"]).partition("_")[0]) if found else None
    if kind is None or error.param is None:
        return ""
    name = next((opt for opt in error.param.opts if opt.startswith("--")), error.param.metavar)
    return f"{name}: {str(found[0]['input'])!r} is no {kind}"


def _too_many(error: Any) -> str:
    """What is said of more words than a command takes; empty for other errors."""
    found = _TOO_MANY.match(getattr(error, "message", ""))
    if found is None:
        return ""
    query = error.ctx.params.get("query")
    if query:
        return f"write a query of several words in quotes: {shlex.quote(f'{query} {found[1]}')}"
    return f"too much was given: {found[1]}; `{error.ctx.command_path} --help` says what it takes"

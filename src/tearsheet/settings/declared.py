"""What is declared of each setting: its name, variable, type, default, meaning, and whether it is a secret."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from tearsheet.masking import masked, masked_place
from tearsheet.settings.sections import Settings


@dataclass(slots=True, frozen=True)
class Declared:
    """One declared setting."""

    name: str
    type: Any
    default: Any
    help: str
    secret: bool
    place: bool
    """It names a place: a path, which is no secret, or a URL, which may hold one."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "TEARSHEET_" + self.name.replace(".", "_").upper()

    def shown(self, settings: Settings) -> Any:
        """Its value as it is shown: hidden as far as it is a secret."""
        section, name = self.name.split(".")
        value = getattr(getattr(settings, section), name)
        return masked_place(value) if self.place else masked(value) if self.secret else value


@cache  # every start of a command asks three times, and reading the type hints takes milliseconds
def declared_settings() -> tuple[Declared, ...]:
    """Every setting, by section and in order of declaration."""
    return tuple(_declarations())


def _declarations() -> Iterator[Declared]:
    blank = Settings(Path())
    for section in fields(Settings):
        values = getattr(blank, section.name)
        if not is_dataclass(values):
            continue
        hints = get_type_hints(type(values))
        for item in fields(values):
            meta = item.metadata
            name = f"{section.name}.{item.name}"
            yield Declared(
                name, hints[item.name], getattr(values, item.name), meta["help"], meta["secret"], meta["place"]
            )

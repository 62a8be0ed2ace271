"""The settings of a data folder: for each, the first of flag, environment, file and default that has it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tearsheet.errors import ConfigError
from tearsheet.masking import is_path, keep_secret
from tearsheet.near_names import did_you_mean
from tearsheet.settings.declared import Declared, declared_settings
from tearsheet.settings.sections import Settings
from tearsheet.settings.values import converted

DEFAULT_DATA_FOLDER = "./tearsheet-data"
CONFIG_FILE = "config.toml"


def load_settings(
    data: str | Path | None = None, flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings of a data folder; `flags` maps setting names, such as `web.port`, to values.

    Raises a ConfigError that names the setting.
    """
    env = os.environ if environ is None else environ
    folder = Path(data or env.get("TEARSHEET_DATA") or DEFAULT_DATA_FOLDER).absolute()
    settings = Settings(folder)
    from_file = _read_config_file(folder / CONFIG_FILE)
    for name in [name for name in from_file if name.startswith("pipelines.")]:
        settings.pipelines[name.removeprefix("pipelines.")] = _to_pipeline(name, from_file.pop(name))
    known = {declared.name for declared in declared_settings()}
    for unknown in sorted(from_file.keys() - known):
        hint = did_you_mean(unknown, known, "`tearsheet config show` lists them all")
        raise ConfigError(f"{folder / CONFIG_FILE}: there is no setting {unknown!r}; {hint}")
    found = [(declared, _first_source(declared, flags or {}, env, from_file)) for declared in declared_settings()]
    keep_secret(
        value
        for declared, given in found
        if given is not None and declared.secret
        for value in (given[0] if isinstance(given[0], list) else [given[0]])
        if not (declared.place and is_path(str(value)))
    )
    for declared, given in found:
        if given is not None:
            value, source = given
            _assign(settings, declared, converted(value, declared, source))
            settings.sources[declared.name] = source
    _check_together(settings)
    return settings


def _check_together(settings: Settings) -> None:
    """What no setting tells alone. Raises ConfigError."""
    least, most = settings.feeds.min_minutes, settings.feeds.max_minutes
    if most < least:
        raise ConfigError(
            f"feeds.max_minutes is {most:,} and feeds.min_minutes {least:,}: the longest time between two polls cannot be shorter "
            "than the shortest"
        )


def _to_pipeline(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name} ({CONFIG_FILE}): a pipeline is a table: write [{name}] above its queuer and stages")
    return value


def _first_source(
    declared: Declared, flags: Mapping[str, Any], env: Mapping[str, str], from_file: Mapping[str, Any]
) -> tuple[Any, str] | None:
    if flags.get(declared.name) is not None:
        return flags[declared.name], "flag"
    if declared.variable in env:
        return env[declared.variable], declared.variable
    if declared.variable + "_FILE" in env:
        path = Path(env[declared.variable + "_FILE"])
        try:
            return path.read_text("utf-8").strip(), f"{declared.variable}_FILE"
        except OSError as error:
            raise ConfigError(f"{declared.variable}_FILE: cannot read {path}: {error.strerror}") from error
        except UnicodeDecodeError:
            raise ConfigError(f"{declared.variable}_FILE: {path} is not text in UTF-8") from None
    if declared.name in from_file:
        return from_file[declared.name], CONFIG_FILE
    return None


def _read_config_file(path: Path) -> dict[str, Any]:
    try:
        sections = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
    flat: dict[str, Any] = {}
    for section, values in sections.items():
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {section!r} is outside a [section]; write it as [section] and name = value")
        flat |= {f"{section}.{name}": value for name, value in values.items()}
    return flat


def _assign(settings: Settings, declared: Declared, value: Any) -> None:
    section, name = declared.name.split(".")
    setattr(getattr(settings, section), name, value)

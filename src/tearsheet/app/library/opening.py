"""The settings of a data folder that a program names."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from tearsheet.app.data_folder import DEMO_FOLDER, has_engine, of_what_is_there
from tearsheet.engines import is_embedded
from tearsheet.errors import NotFoundError
from tearsheet.settings import Settings, load_settings


def settings_of(data: str | PathLike[str] | Settings) -> Settings:
    """The settings of a data folder, as the command would have them: the environment, its `config.toml`, defaults."""
    return data if isinstance(data, Settings) else load_settings(Path(fspath(data)).expanduser())


def require_collection(settings: Settings) -> None:
    """Raises NotFoundError if there is no data folder, or nothing of ours in it. Makes nothing.

    Where everything is on servers, a machine may have no data folder of its own.
    """
    engines, advice = settings.engines, "give the one that `tearsheet run` collects in"
    if not settings.data.is_dir() and (is_embedded(engines.index) or is_embedded(engines.database)):
        raise NotFoundError(f"there is no data folder {settings.data}: {advice}")
    if not (
        has_engine(settings, "engines.index", engines.index)
        or has_engine(settings, "engines.database", engines.database)
    ):
        demo = settings.data / DEMO_FOLDER
        if of_what_is_there(settings).data == demo:
            raise NotFoundError(f"{settings.data} holds nothing but the demo: open {demo}")
        raise NotFoundError(f"{settings.data} is no data folder: it has neither an index nor a database; {advice}")

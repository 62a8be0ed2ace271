"""Whether everything that the program needs is in order: the checks of `tearsheet doctor`."""

from __future__ import annotations

import shlex
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tearsheet.app.archive_checks import check_archive, check_index
from tearsheet.app.disk import disk_state
from tearsheet.app.pipelines import PARSER
from tearsheet.app.queues import read_depths, try_queuing
from tearsheet.app.running import run_to_its_end
from tearsheet.app.services import Services
from tearsheet.app.store_checks import StorePlace, check_store, store_places
from tearsheet.app.telemetry import check_telemetry
from tearsheet.counts import how_many
from tearsheet.engines import is_embedded, local_path
from tearsheet.errors import TearsheetError
from tearsheet.masking import masked
from tearsheet.settings import CONFIG_FILE, Settings, declared_settings
from tearsheet.work import Confinement, CpuPool


@dataclass(slots=True, frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    ok: bool
    found: str
    advice: str = ""
    """What should be done all the same."""


def examine(services: Services) -> Iterator[Check]:
    """Every check, in the order in which problems would appear."""
    folder = _tried("data folder", lambda: str(services.data))
    yield folder
    if folder.ok:  # otherwise each check of something in it would say the same again
        yield _rights(services.settings)
        yield _tried("disk", lambda: _disk(services))
    yield Check("clock", time.time() > 1_700_000_000, time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))
    if folder.ok:
        yield from _engines_and_stores(services)
    yield _tried("pages are read without network and files", lambda: _confinement(services))
    yield _tried("telemetry", lambda: check_telemetry(services.settings))
    yield _port(services)


def _engines_and_stores(services: Services) -> Iterator[Check]:
    yield _tried("database", lambda: _database(services))
    yield _tried("broker", lambda: _broker(services))
    yield _tried("index", lambda: _index(services))
    yield _tried("archive", lambda: check_archive(services))
    yield from map(partial(_store, services), store_places(services))
    yield _erasures(services)


def _tried(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except TearsheetError as error:
        return Check(name, False, str(error))


def _store(services: Services, place: StorePlace) -> Check:
    try:
        found, advice = check_store(services, place)
    except TearsheetError as error:
        return Check(place.setting, False, str(error))
    return Check(place.setting, True, found, advice)


def _database(services: Services) -> str:
    services.database.try_writing()
    return f"{_place(services, 'database')}, written and read"


def _broker(services: Services) -> str:
    try_queuing(services)
    depth = sum(depth.total for depth in read_depths(services).values())
    return f"{_place(services, 'broker')}, written and read, {how_many(depth, 'story')} queued"


def _index(services: Services) -> str:
    return f"{_place(services, 'index')}, {check_index(services)}"


def _place(services: Services, engine: str) -> str:
    """Where an engine is: its file or folder, or its server without the password."""
    url = getattr(services.settings.engines, engine)
    return str(local_path(url, services.data, f"engines.{engine}")) if is_embedded(url) else str(masked(url))


def _erasures(services: Services) -> Check:
    """Whether something that was to be erased may still be there."""
    try:
        unfinished = len(services.erased.unfinished())
    except TearsheetError as error:
        return Check("erasures", False, str(error))
    if unfinished:
        return Check("erasures", False, f"{unfinished:,} unfinished: `tearsheet erase --resume` goes on with them")
    return Check("erasures", True, "none unfinished")


def _rights(settings: Settings) -> Check:
    """Whether others can read the data folder. Nothing is changed: somebody may have meant it so."""
    folder, config = settings.data, settings.data / CONFIG_FILE
    others, change = (0o007, "o=") if settings.storage.group_reads else (0o077, "go=")
    secret = any(
        declared.secret and settings.sources.get(declared.name) == CONFIG_FILE for declared in declared_settings()
    )
    try:
        open_folder = folder.stat().st_mode & others
        open_config = secret and open_folder and config.stat().st_mode & others
    except OSError as error:
        return Check("rights", False, f"{error.filename}: {error.strerror}")
    if not open_folder:
        return Check("rights", True, "only you" if others == 0o077 else "you and your group")
    advice = f"chmod -R {change} {shlex.quote(str(folder))}"
    if open_config:
        return Check("rights", True, f"other users of this machine can read the secrets in {CONFIG_FILE}", advice)
    return Check("rights", True, "other users of this machine can read the data folder", advice)


def _disk(services: Services) -> str:
    state = disk_state(services)
    if state.short:
        raise TearsheetError(state.short)
    return f"{state.free_bytes / 1e9:,.1f} GB free"


def _confinement(services: Services) -> str:
    """As a process that reads pages tells us."""

    async def ask() -> Confinement:
        pool = CpuPool(PARSER, "parser", 1, services.settings.pipeline.page_seconds)
        try:
            return await pool.confinement()
        finally:
            await pool.close()

    return str(run_to_its_end(ask()))


def _port(services: Services) -> Check:
    web = services.settings.web
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex((web.host, web.port)) == 0
    found = "in use: a server is running there" if taken else "free"
    return Check(f"port {web.port}", True, found)

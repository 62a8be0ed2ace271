"""Backups of a data folder: what belongs into one, what a server keeps instead, and how it comes back."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tearsheet import __version__
from tearsheet.app.places import layout_of
from tearsheet.app.services import Services
from tearsheet.backup import (
    FOLDER_ID,
    GONE,
    About,
    BackupPlace,
    DamagedBackup,
    Layout,
    LeftOut,
    Manifest,
    Progress,
    Pruned,
    Registered,
    Restoring,
    Tell,
    advice_on_no_backups,
    check_landings,
    finish_interrupted,
    landings_of,
    make_backup,
    moment_of,
    newest_without_gaps,
)
from tearsheet.counts import how_many
from tearsheet.engines import is_embedded, local_path
from tearsheet.engines.blobs import open_blobs
from tearsheet.engines.database import migration_steps
from tearsheet.engines.index import rebuild_words
from tearsheet.errors import EngineError, StorageError, UsageError
from tearsheet.files import lies_in, write_whole
from tearsheet.masking import without_login
from tearsheet.settings import CONFIG_FILE, Settings, load_settings
from tearsheet.work import nearest_folder

SERVERS = {
    "database": "the database is kept by a server: dump it just before each backup (pg_dump)",
    "broker": "the queues are kept by a server, which has no backup of messages: run it on several machines",
    "index": "the index is kept by a server: take a snapshot there after each backup; the archive can rebuild it",
    "blobs": "the blobs are kept by a server: copy that bucket, or let it keep versions",
    "events": "the events are kept by a server, which has its own copies",
}
"""What a backup lacks when an engine is a server, and what to do about it."""
WITHOUT = (*SERVERS, "archive-stores", "foreign-files", "links", GONE)
"""What can be kept in another way, or need not be kept."""


@dataclass(slots=True, frozen=True)
class BackedUp:
    """A backup that was made."""

    name: str
    manifest: Manifest
    progress: Progress
    pruned: Pruned | None
    same_disk: bool
    """Whether it would be lost with the disk of the data folder."""
    later: datetime | None = None
    """The moment of a backup at that place that claims to be later: the clock is or was wrong, and which is newer is not known."""

    @property
    def missing(self) -> list[LeftOut]:
        """What is not in it, although nobody has said that it is kept in another way."""
        return [one for one in self.manifest.left_out if not one.agreed]


@contextmanager
def opened_place(settings: Settings, url: str, *, new: bool | None = None) -> Iterator[BackupPlace]:
    """The place that a command or else the setting `backup.place` names; it is to be there, unless it is `new`.

    `new` is given by whoever writes there, and None to read. Nothing is made. Raises UsageError, ConfigError or EngineError.
    """
    setting = "PLACE" if url else "backup.place"
    url = url or settings.backup.place
    if not url:
        raise UsageError("where are the backups? Name their place, as /mnt/disk/backups, or set backup.place")
    name = without_login(url.partition("?")[0])
    if is_embedded(url):
        folder = local_path(url, settings.data, setting)
        name = str(folder)
        roots = (settings.data, *layout_of(settings).roots)
        within = [root for root in roots if lies_in(folder, root)]
        if within:
            better = Path(url).absolute() if not url.startswith(("/", "file:")) else "/mnt/disk/backups"
            raise UsageError(
                f"{name} is in {within[0]}, and would be lost with it: write a whole path outside it, as {better}"
            )
        if new and any(lies_in(root, folder) for root in roots):
            raise UsageError(f"{name} holds the data folder: begin in a folder of its own beside it, as {name}/backups")
        if not new and not folder.is_dir():
            raise EngineError(f"there is no folder {name}: {advice_on_no_backups(name, writes=new is not None)}")
    blobs = open_blobs(url, settings.data, patience=settings.engines.patience_seconds, setting=setting)
    with BackupPlace(blobs, name) as place:
        yield place


def back_up(
    services: Services, url: str, *, new: bool, without: Sequence[str], keep: int | None, tell: Tell
) -> BackedUp:
    """Back up the data folder; with `keep`, delete older backups once the new one is there and lacks nothing."""
    if unknown := [word for word in without if word not in WITHOUT]:
        raise UsageError(f"--without: {unknown[0]!r} is none of {', '.join(WITHOUT)}")
    # What is erased meanwhile would be in one part and not in another.
    exclusive = services.exclusive
    with opened_place(services.settings, url, new=new) as place, exclusive("backup"), exclusive("erase"):
        folder = _folder_id(services.data)
        if new:
            place.begin(folder)
        place.check(folder)
        layout = layout_of(services.settings)
        if GONE not in without:
            _check_database(place, layout)
        about = About(__version__, migration_steps()[-1], folder)
        name, manifest, progress = make_backup(
            layout,
            place,
            about,
            archived=lambda: _registered(services),
            left_out=tuple(_elsewhere(services)),
            agreed=frozenset(without),
            tell=tell,
        )
        made = BackedUp(name, manifest, progress, None, _is_on_disk_of(services.data, Path(place.name)))
        if place.names()[-1] != name:
            return replace(made, later=moment_of(place.names()[-1]))
        if keep is None or made.missing:
            return made
        tell(replace(progress, doing="removing old backups"))
        return replace(made, pruned=place.prune(keep))


def _is_on_disk_of(data: Path, place: Path) -> bool:
    return place.is_dir() and place.stat().st_dev == data.stat().st_dev


def _folder_id(data: Path) -> str:
    """The id of a data folder, made when it is first needed."""
    path = data / FOLDER_ID
    if not path.exists():
        write_whole(path, f"{uuid.uuid4().hex}\n".encode())
    return path.read_text("utf-8").strip()


def _check_database(place: BackupPlace, layout: Layout) -> None:
    """Refuse to go on when the database is lost: whoever asks it for anything makes a new and empty one."""
    before = newest_without_gaps(place)
    if before is not None and "database" in before.parts and layout.database and not layout.database.is_file():
        raise EngineError(
            f"{layout.database} is gone, and the backup of {before.moment:%Y-%m-%dT%H:%M:%SZ} has it: mount its disk, or restore "
            f"that backup into another folder and copy it from there; to begin with an empty one, give --without {GONE}"
        )


def _registered(services: Services) -> dict[str, Registered]:
    """The archive files that the database knows, except those of others."""
    files = (file for file in services.archive.files() if file.path is None)
    return {file.key: Registered(file.size, file.sha256, file.local) for file in files}


def _elsewhere(services: Services) -> Iterator[LeftOut]:
    """What is not on this machine, or not ours."""
    engines = services.settings.engines
    for name, why in SERVERS.items():
        if not is_embedded(getattr(engines, name)):
            yield LeftOut(name, why)
    archive = services.archive
    inside = {
        name
        for name in archive.all_proved_stores()
        if is_embedded(name) and (services.data / name).is_relative_to(services.data)
    }
    gone = [file for file in archive.files() if not file.local and file.path is None]
    gone = [file for file in gone if not inside & set(archive.proved_stores(file.id))]
    if gone:
        size, stores = sum(file.size for file in gone), ", ".join(archive.all_proved_stores())
        yield LeftOut(
            "archive-stores",
            f"{how_many(len(gone), 'archive file')} ({size:,} bytes) {'is' if len(gone) == 1 else 'are'} only in {stores}",
        )
    foreign = [file.path for file in archive.files() if file.path is not None]
    foreign = [path for path in foreign if not Path(path).is_relative_to(services.data)]
    if foreign:
        yield LeftOut("foreign-files", f"{len(foreign):,} WARC files lie where you indexed them, such as {foreign[0]}")


@dataclass(slots=True, frozen=True)
class Restored:
    """A backup that was brought back, or would be."""

    name: str
    manifest: Manifest
    layout: Layout
    progress: Progress
    """How many files and bytes were restored, or would be."""
    stories: int
    """How many stories can be searched now."""
    damaged: list[str] = field(default_factory=list)
    """What could not be restored, and why, where the rest was wanted all the same."""


def restore(
    settings: Settings, url: str, at: datetime | None, *, dry_run: bool, tell: Tell, despite_damage: bool = False
) -> Restored | None:
    """Bring a backup back into the data folder of `settings`, which must be empty.

    None when an earlier restore had been interrupted at its very end, and was finished. With `dry_run` everything is read and
    checked in the same way, and nothing is written.
    """
    if not dry_run and finish_interrupted(settings.data):
        return None
    with opened_place(settings, url) as place:
        place.check()
        name = place.find(at)
        manifest = place.read(name)
        if manifest.schema not in migration_steps():
            raise EngineError(
                f"the backup {name} was made by tearsheet {manifest.tearsheet[:20]}, which is later than this one: "
                "install that version or a later one"
            )
        layout = layout_of(_settings_in(place, manifest, settings.data, despite_damage))
        check_landings(landings_of(layout))
        _check_room(layout, manifest)
        restoring = Restoring(place, manifest, layout, tell, despite_damage)
        if dry_run:
            return Restored(name, manifest, layout, restoring.check(), 0, restoring.left_out)
        stories: list[int] = []
        progress = restoring.run(lambda there: stories.append(_index_words(there, tell)))
        return Restored(name, manifest, layout, progress, stories[0], restoring.left_out)


def _settings_in(place: BackupPlace, manifest: Manifest, folder: Path, despite_damage: bool) -> Settings:
    """The settings that the restored folder will have: those of the backup's own `config.toml`, and of the environment."""
    with tempfile.TemporaryDirectory() as temporary:
        for entry in place.entries(manifest):
            if (entry.part, entry.path) == ("folder", CONFIG_FILE):
                with suppress(*([DamagedBackup] if despite_damage else [])):
                    Path(temporary, CONFIG_FILE).write_bytes(b"".join(place.objects.read(entry.objects)))
            if entry.part != "folder":
                break
        settings = load_settings(temporary)
    settings.data = folder
    return settings


def _check_room(layout: Layout, manifest: Manifest) -> None:
    inside = [
        name for name in manifest.parts if (path := layout.target(name, "x")) and path.is_relative_to(layout.data)
    ]
    needed = sum(manifest.parts[name].bytes for name in inside)
    if (free := shutil.disk_usage(nearest_folder(layout.data)).free) < needed:
        raise StorageError(
            f"{layout.data} needs {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free: make room, or choose another disk"
        )


def _index_words(layout: Layout, tell: Tell) -> int:
    """Make the words of the restored stories searchable: they are not in a backup, since the stories are."""
    if layout.index is None:
        return 0
    progress = Progress("indexing the words of stories")
    tell(progress)

    def say(stories: int) -> None:
        progress.files = stories
        tell(progress)

    folders = (layout.index, layout.index / "topics")
    of_each = [rebuild_words(str(one), layout.data, say) if (one / "stories.db").is_file() else 0 for one in folders]
    return of_each[0]

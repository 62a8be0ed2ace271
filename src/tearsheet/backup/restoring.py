"""Bringing a backup back: everything is written aside and checked, and only then put in its place.

Files are written into `restoring.tmp` in the folder that they are for, since a folder may be a disk of its own. When all are there,
`restoring.tmp/complete` says so; a restore that is interrupted after that is finished by the next one, and one that is interrupted
before starts over. The program does not use a data folder that has such a folder in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tearsheet.backup.layout import RESTORING, Layout
from tearsheet.backup.making import Progress, Tell
from tearsheet.backup.manifest import DamagedBackup, Entry, Manifest, PartSize
from tearsheet.backup.place import BackupPlace
from tearsheet.errors import BusyError, EngineError, StorageError, UsageError
from tearsheet.files import TEMPORARY, make_folder, storage_errors, sync_folder, write_whole
from tearsheet.locks import try_lock
from tearsheet.system import require_unix

_FILES, _COMPLETE = "files", "complete"


class Landing(msgspec.Struct, frozen=True):
    """A file or folder that is restored, and where it is written first."""

    final: str
    aside: str

    @property
    def is_folder(self) -> bool:
        """Whether it is written aside within the folder itself."""
        return self.aside.startswith(self.final + "/")


def landings_of(layout: Layout) -> list[Landing]:
    """Everything that is restored: the places outside the data folder first, and the data folder last."""
    files = {layout.database, layout.broker}
    outside = [path for path in layout.roots if not path.is_relative_to(layout.data)]
    found = [
        Landing(str(path), str(path.with_name(f"{path.name}.{RESTORING}") if path in files else _aside(path)))
        for path in outside
    ]
    return [*found, Landing(str(layout.data), str(_aside(layout.data)))]


def _aside(folder: Path) -> Path:
    return folder / RESTORING / _FILES


def staged(path: Path, landings: Sequence[Landing]) -> Path:
    """Where a file is written first."""
    (landing,) = [one for one in landings if path.is_relative_to(one.final)][:1]
    return Path(landing.aside) / path.relative_to(landing.final)


def check_landings(landings: Sequence[Landing]) -> None:
    """Refuse to restore over anything. Raises UsageError or EngineError."""
    for landing in landings:
        final = Path(landing.final)
        if landing.is_folder and final.is_dir():
            found = sorted(path.name for path in final.iterdir() if path.name != RESTORING)
            if found:
                raise UsageError(f"{final} is not empty (it has {found[0]!r}): restore into an empty or a new folder")
        elif os.path.lexists(final):
            raise UsageError(f"{final} is there already: move it away first, or restore into another place")
        elif landing != landings[-1] and not final.parent.is_dir():
            raise EngineError(f"there is no folder {final.parent} for {final.name}: mount its disk, or make it")


@dataclass(slots=True)
class Restoring:
    """One restore of a backup into the places of a layout."""

    place: BackupPlace
    manifest: Manifest
    layout: Layout
    tell: Tell
    despite_damage: bool = False
    """Restore what is whole, and leave out the rest."""
    left_out: list[str] = field(default_factory=list)
    """What is damaged and was, or would be, left out, and why."""

    def run(self, prepare: Callable[[Layout], None]) -> Progress:
        """Restore everything. `prepare` is called with the places of the files before they are put in their final ones."""
        landings = landings_of(self.layout)
        with _held(self.layout.data), storage_errors(f"cannot restore into {self.layout.data}"):
            for landing in landings:
                _clear(landing)
            progress = self._bring("restoring", landings)
            prepare(self._staged_layout(landings))
            os.sync()
            write_whole(self.layout.data / RESTORING / _COMPLETE, msgspec.json.encode(landings))
            _finish(landings)
        return progress

    def check(self) -> Progress:
        """Read and check everything that would be restored; nothing is written."""
        return self._bring("checking the backup", None)

    def _bring(self, doing: str, landings: Sequence[Landing] | None) -> Progress:
        """Bring every file of the backup; without landings, to nowhere."""
        progress, parts = Progress(doing, total=self.manifest.bytes), dict[str, PartSize]()
        for entry in self.place.entries(self.manifest):
            target = self.layout.target(entry.part, entry.path)
            if target is not None:
                self._bring_or_leave_out(entry, staged(target, landings) if landings else None, progress)
            before = parts.get(entry.part, PartSize())
            parts[entry.part] = PartSize(before.files + 1, before.bytes + entry.size)
        if parts != self.manifest.parts:
            raise DamagedBackup("the backup is damaged: its listing is not the one that its manifest describes")
        return progress

    def _bring_or_leave_out(self, entry: Entry, path: Path | None, progress: Progress) -> None:
        before = progress.bytes
        try:
            self._bring_file(entry, path, progress)
        except DamagedBackup as error:
            if not self.despite_damage:
                raise
            progress.bytes = before
            if path is not None:
                path.unlink(missing_ok=True)
            self.left_out.append(f"{entry.part}: {entry.path}: {error.__cause__ or error}")

    def _bring_file(self, entry: Entry, path: Path | None, progress: Progress) -> None:
        size = 0
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") if path is not None else Path(os.devnull).open("wb") as file:
            for piece in self._pieces(entry):
                file.write(piece)
                size += len(piece)
                progress.bytes += len(piece)
                self.tell(progress)
        if size != entry.size:
            raise DamagedBackup(f"the backup is damaged: {entry.path} has {size:,} bytes instead of {entry.size:,}")
        if path is not None:
            os.utime(path, ns=(entry.mtime_ns, entry.mtime_ns))  # so that the next backup knows it again
        progress.files += 1
        self.tell(progress)

    def _pieces(self, entry: Entry) -> Iterator[bytes]:
        try:
            yield from self.place.objects.read(entry.objects)
        except DamagedBackup as error:
            raise DamagedBackup(
                f"{error}, and {entry.path} needs it: restore an earlier backup (`--at`; `tearsheet backup --verify` says which "
                "are whole), or what is whole of this one (`--despite-damage`)"
            ) from error

    def _staged_layout(self, landings: Sequence[Landing]) -> Layout:
        index = self.layout.index
        return replace(self.layout, index=staged(index, landings) if index else None)


def finish_interrupted(folder: Path) -> bool:
    """Put in place what an interrupted restore had written completely. False if there is no such restore."""
    complete = folder / RESTORING / _COMPLETE
    if not complete.is_file():
        return False
    with _held(folder), storage_errors(f"cannot restore into {folder}"):
        try:
            landings = msgspec.json.decode(complete.read_bytes(), type=list[Landing])
        except msgspec.MsgspecError as error:
            raise StorageError(f"{complete} cannot be read ({error}): empty {folder} and restore again") from error
        _finish(landings)
    return True


def _clear(landing: Landing) -> None:
    """Make room for what is written first, without the remains of an earlier restore."""
    aside = Path(landing.aside)
    if not landing.is_folder:
        aside.unlink(missing_ok=True)
        return
    shutil.rmtree(aside, ignore_errors=True)
    make_folder(aside)


def _finish(landings: Sequence[Landing]) -> None:
    """Give everything its name. Done again after an interruption, it goes on where it stopped."""
    for landing in landings:
        final, aside = Path(landing.final), Path(landing.aside)
        if not landing.is_folder:
            if aside.exists():
                aside.replace(final)
                sync_folder(final.parent)
        elif aside.parent.is_dir():
            for path in sorted(aside.iterdir()) if aside.is_dir() else ():
                path.rename(final / path.name)
            sync_folder(final)
            # In one step, since `complete` and what it is about must not disappear one after the other.
            done = final / f"restored{TEMPORARY}"
            aside.parent.rename(done)
            shutil.rmtree(done)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keep other restores out of a folder."""
    require_unix("restoring a backup")
    with storage_errors(f"cannot write to {folder}"):
        make_folder(folder / RESTORING)
        descriptor = os.open(folder / RESTORING, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not try_lock(descriptor):
            raise BusyError(f"another restore into {folder} is at work: wait for it, or stop it")
        yield
    finally:
        os.close(descriptor)

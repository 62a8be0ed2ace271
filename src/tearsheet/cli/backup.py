"""`tearsheet backup`: back up the data folder while the program runs. `tearsheet restore`: bring a backup back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import backup as backups
from tearsheet.cli.context import (
    Globals,
    err,
    out,
    output_form,
    print_out,
    reports_errors,
    services_for,
    settings_for,
    show,
)
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.cli.options import JsonlOption, JsonOption
from tearsheet.cli.options import moment_of as time_of
from tearsheet.cli.pace import measured, megabytes, pace
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.tables import jsonl_lines

PlaceArgument = Annotated[
    str,
    typer.Argument(
        help="A folder outside the data folder, as /mnt/disk/backups, or s3://KEY:SECRET@HOST/BUCKET/FOLDER. "
        "[default: the setting backup.place]",
        metavar="PLACE",
        show_default=False,
    ),
]
_DAY = len("2026-11-15")


def register(parent: typer.Typer) -> None:
    """Add the commands."""
    parent.command()(backup)
    parent.command()(restore)


@reports_errors
def backup(
    place: PlaceArgument = "",
    new: Annotated[bool, typer.Option("--new", help="Begin at a place where there are no backups yet.")] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help="What you keep in another way (database, broker, index, blobs, events, archive-stores, foreign-files, "
            "links), or gone, for what earlier backups have and you removed on purpose; may be given again.",
            metavar="WHAT",
        ),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(help="Then delete all but the newest N backups.", metavar="N", min=1)
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the backups instead.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Read all backups again instead, and check them.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what --keep would delete.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Back up the data folder while the program runs. Only what the place does not have is copied.

    Ends with 3 if anything is not in the backup, and says what; with --verify, if anything is damaged.
    """
    as_json = json or jsonl
    if sum((list_, verify, dry_run)) > 1 or ((list_ or verify) and (new or keep or without)):
        raise UsageError("give --list or --verify alone, or --dry-run with --keep")
    if list_ or verify or dry_run:
        with program.opened_place(settings_for(), place) as opened:
            opened.check()
            if list_:
                _list(opened, output_form(json, jsonl, False))
            elif verify:
                _verify(opened, as_json)
            elif keep is None:
                raise UsageError("--dry-run says what --keep N would delete: give both")
            else:
                _say_pruned(opened.prune(keep, dry_run=True), as_json, "would be ")
        return
    with services_for() as services:
        made = program.back_up(services, place, new=new, without=without or (), keep=keep, tell=_telling())
    _say_made(made, as_json)
    if made.same_disk:
        err.print(
            "the place is on the disk of the data folder, and would be lost with it: use another disk or a bucket"
        )
    _say_left_out(made.manifest.left_out)
    if made.missing:
        kept = "; old backups were kept" if keep else ""
        raise PartialFailure(f"the backup lacks what is named above ({how_many(len(made.missing), 'thing')}){kept}")
    if made.later:
        raise PartialFailure(
            f"the place has a backup of {_shown(made.later)}, which seems to be later than this one: the clock is or was wrong. "
            "Old backups were kept; `restore` takes this one with --at. Delete the other from `backups` at that place to go on"
        )


def _say_made(made: program.BackedUp, as_json: bool) -> None:
    manifest, progress = made.manifest, made.progress
    if as_json:
        _print(_summary(made.name, manifest, progress) | _pruned(made.pruned))
        return
    out.print(
        f"backup of {_shown(manifest.moment)}: {how_many(manifest.files, 'file')}, {manifest.bytes:,} bytes; "
        f"{how_many(progress.unchanged, 'file')} unchanged, {progress.sent:,} bytes sent"
    )
    if made.pruned:
        _say_pruned(made.pruned, as_json, "")


def _telling() -> backups.Tell:
    say, started = said_now_and_then(), time.monotonic()

    def tell(progress: backups.Progress) -> None:
        far = pace(progress.bytes, progress.total, time.monotonic() - started, "done", megabytes)
        say(f"{progress.doing}: {how_many(progress.files, 'file')}, {far}")

    return tell


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _list(place: backups.BackupPlace, form: str) -> None:
    rows: list[dict[str, Any]] = []
    damaged: list[str] = []
    for name in place.names():
        try:
            manifest = place.read(name)
        except backups.DamagedBackup as error:
            damaged.append(str(error))
            continue
        lacks = ", ".join(dict.fromkeys(one.what for one in manifest.left_out))
        row = {"moment": _shown(manifest.moment), "files": manifest.files, "bytes": manifest.bytes, "without": lacks}
        rows.append(row | {"version": manifest.tearsheet, "name": name})
    columns = {"moment": "moment", "files": "files", "bytes": "bytes", "without": "without", "version": "version"}
    empty = f"{place.name} has no finished backup yet"
    show(rows, columns, form=form, empty=empty)
    for line in damaged:
        err.print(line)
    if damaged:
        raise PartialFailure(f"{how_many(len(damaged), 'backup')} cannot be read")


def _verify(place: backups.BackupPlace, json: bool) -> None:
    tell = measured("objects checked")
    for report in place.verify():
        tell(report.objects)
    if json:
        _print({"backups": report.backups, "objects": report.objects, "problems": report.problems})
    else:
        for problem in report.problems:
            err.print(problem)
        read = f"{how_many(report.backups, 'backup')}, {how_many(report.objects, 'object')} read"
        out.print(f"{read}, {how_many(len(report.problems), 'problem')}")
    if report.problems:
        raise PartialFailure(
            f"{len(report.problems):,} objects are damaged: delete them, and the next backup stores them again "
            "if their files are still here"
        )
    if not report.backups:
        raise PartialFailure(f"{place.name} has no finished backup yet, so there is nothing to check")


def _say_pruned(pruned: backups.Pruned, json: bool, tense: str) -> None:
    if json:
        _print(_pruned(pruned))
        return
    for name in pruned.backups:
        moment = backups.moment_of(name)
        out.print(f"the backup of {_shown(moment) if moment else name} {tense or 'was '}deleted")
    out.print(
        f"{how_many(len(pruned.backups), 'backup')}, {how_many(pruned.objects, 'object')}, {pruned.bytes:,} bytes {tense}deleted"
    )


def _say_left_out(left_out: Sequence[backups.LeftOut]) -> None:
    for one in left_out:
        err.print(f"not in the backup ({one.what}): {one.why}")


def _summary(name: str, manifest: backups.Manifest, progress: backups.Progress) -> dict[str, Any]:
    return {
        "name": name,
        "moment": _shown(manifest.moment),
        "files": manifest.files,
        "bytes": manifest.bytes,
        "unchanged": progress.unchanged,
        "sent": progress.sent,
        "parts": {part: {"files": size.files, "bytes": size.bytes} for part, size in manifest.parts.items()},
        "left_out": [{"what": one.what, "why": one.why, "agreed": one.agreed} for one in manifest.left_out],
    }


def _pruned(pruned: backups.Pruned | None) -> dict[str, Any]:
    if pruned is None:
        return {}
    return {"deleted": {"backups": pruned.backups, "objects": pruned.objects, "bytes": pruned.bytes}}


def _print(summary: dict[str, Any]) -> None:
    for line in jsonl_lines([summary], spaced=True):
        print_out(line.decode().rstrip("\n"))


@reports_errors
def restore(
    place: PlaceArgument = "",
    at: Annotated[
        str,
        typer.Option("--at", help="The newest backup of this time or before. [default: the newest]", metavar="TIME"),
    ] = "",
    data: Annotated[
        Path | None, typer.Option("--data", help="The new data folder, as --data before the command.", metavar="FOLDER")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and check the backup, and only say what would be restored.")
    ] = False,
    despite_damage: Annotated[
        bool,
        typer.Option("--despite-damage", help="Restore what is whole of a damaged backup, and say what is missing."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring a backup back into an empty folder: everything is checked before it is put in place.

    Places outside the data folder that the settings of the backup name must be empty, too. Ends with 3 if something
    is to be restored from elsewhere or is damaged, and says what.
    """
    Globals.data = data or Globals.data
    settings = settings_for(own=True)
    restored = program.restore(
        settings, place, _until(at), dry_run=dry_run, tell=_telling(), despite_damage=despite_damage
    )
    if restored is None:
        out.print(f"the restore into {settings.data} that was interrupted is finished; nothing else was written")
        return
    manifest, layout, progress = restored.manifest, restored.layout, restored.progress
    outside = [str(path) for path in layout.roots if not path.is_relative_to(layout.data)]
    if json:
        more = {"data": str(layout.data), "outside": outside, "stories": restored.stories, "dry_run": dry_run}
        more |= {"damaged": restored.damaged, "files": progress.files, "bytes": progress.bytes}
        _print(_summary(restored.name, manifest, progress) | more)
    else:
        would = " would be" if dry_run else ""
        size = f"{how_many(progress.files, 'file')}, {progress.bytes:,} bytes"
        out.print(
            f"{size} of {_shown(manifest.moment)}{would} restored to {layout.data}",
            *(f"and {path}" for path in outside),
            *([] if dry_run else [f"({how_many(restored.stories, 'story')} can be searched)"]),
        )
    _say_what_lacks(restored, dry_run)


def _say_what_lacks(restored: program.Restored, dry_run: bool) -> None:
    """Raise PartialFailure when something is not there that should be."""
    _say_left_out(restored.manifest.left_out)
    for line in restored.damaged:
        err.print(f"damaged, and {'would not be' if dry_run else 'not'} restored: {line}")
    if restored.damaged:
        raise PartialFailure(
            f"{how_many(len(restored.damaged), 'file', 'is')} damaged in the backup, and {'would be ' if dry_run else ''}left out; "
            "the others are whole. "
            "`tearsheet archive index` and `tearsheet index rebuild` make a lost database and index from the archive"
        )
    missing = [one for one in restored.manifest.left_out if not one.agreed]
    if missing:
        raise PartialFailure(
            f"the backup lacks what is named above ({how_many(len(missing), 'thing')}): bring it back yourself"
        )


def _until(at: str) -> datetime | None:
    """The time that `--at` names; of a day, its end."""
    moment = time_of(at)
    return moment + timedelta(days=1, microseconds=-1) if moment and len(at.strip()) <= _DAY else moment

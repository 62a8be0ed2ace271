"""Started by a test: FOLDER STORE. For each line it reads, a new process archives and uploads, and is killed.

A line is `SEED MOMENT TIME`: the process kills itself at a moment of its work, as `register:before`, when that comes for the
TIMEth time; or it is killed after TIME seconds where the moment is `any`; or not at all where it is `none`. The answer is
`killed`, `done` or what went wrong. The processes are forks, so that everything is imported once.

Such a process does what `tearsheet run --once` does: the archiver behind its worker on a real queue, and the uploader beside it,
until the queue is empty and every file is copied.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from tearsheet.archive import upload as upload_module
from tearsheet.archive import writer as writer_module
from tearsheet.archive.copies import Copies, stores_by_name
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.upload import Uploader
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.pipeline.archiver import Archiver
from tearsheet.pipeline.uploading import Uploading
from tearsheet.work.journey import RetryRule
from tearsheet.work.keeping import KeepingWorker
from tearsheet.work.ledger import Ledger
from tearsheet.work.supervisor import Supervisor
from tearsheet.work.water_marks import WaterMarks
from tearsheet.work.workers import WorkerConfig

PLACES: dict[str, tuple[Any, str]] = {
    "write": (writer_module.StoryArchiveWriter, "write"),
    "name": (writer_module, "finish"),
    "cdxj": (writer_module, "write_whole"),
    "register": (ArchiveStore, "register"),
    "ledger": (Ledger, "record"),
    "settle": (SqliteBroker, "_settle"),
    "copy": (upload_module, "digests"),
    "prove": (upload_module, "prove"),
    "proved": (Outbox, "proved"),
    "remove": (Uploader, "_remove_one"),
    "removed": (Outbox, "removed"),
}
"""Where the work can be cut: in the archiver and its worker, then in the uploader."""

OF_UPLOADER = {"copy", "prove", "proved", "remove", "removed"}
MOMENTS = [f"{place}:{side}" for place in PLACES for side in ("before", "after")]


def die_at(moment: str, time_to_die: int) -> None:
    """Let this process kill itself when the moment comes for this time."""
    place, _, side = moment.partition(":")
    owner, name = PLACES[place]
    inner, calls = getattr(owner, name), 0

    def deadly(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if side == "before" and calls == time_to_die:
            os.kill(os.getpid(), signal.SIGKILL)
        result = inner(*args, **options)
        if side == "after" and calls == time_to_die:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def work(folder: Path, url: str, chance: random.Random) -> None:
    """Archive what is queued and copy every file."""
    database = open_database("t.db", folder)
    stores, store, outbox = stores_by_name([url], folder, 2), ArchiveStore(database), Outbox(database)
    copies = Copies(store, folder / "archive", stores)
    uploader = Uploader(outbox, copies, stores, remove_local=url == "copies")
    archiver = Archiver(
        store,
        folder / "archive",
        profile=chance.choice(["mediacloud", "full"]),
        max_stories=chance.randint(2, 4),
        max_seconds=chance.choice([0.0, 900.0]),
        stores=list(stores),
    )

    async def main() -> None:
        broker = SqliteBroker(folder / "queues.db")
        config = WorkerConfig("archiver", (), RetryRule(2, 0.01, 0.02), WaterMarks(50, 100))
        worker = KeepingWorker(archiver, config, broker, Ledger(database), batch=chance.randint(1, 6), seconds=0.01)
        await Supervisor([worker], broker).run(services=[Uploading(uploader, seconds=0.02).run], once=True)
        await broker.close()

    asyncio.run(main())
    while any(state.waiting for state in outbox.states()):
        uploader.run(all_now=True)
    database.close()


def in_a_fork(folder: Path, url: str, line: str) -> str:
    """Do what a line says in a new process; returns how it ended."""
    seed, moment, when = line.split()
    process = os.fork()
    if not process:
        try:
            if moment in MOMENTS:
                die_at(moment, int(when))
            work(folder, url, random.Random(int(seed)))
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if moment == "any":
        deadline = time.monotonic() + float(when)
        while os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                os.kill(process, signal.SIGKILL)
                break
            time.sleep(0.002)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return {0: "done", -signal.SIGKILL: "killed"}.get(code, f"ended with {code}")


if __name__ == "__main__":
    answer = partial(in_a_fork, Path(sys.argv[1]), sys.argv[2])
    for told in sys.stdin:
        print(answer(told), flush=True)

"""Run by a test and killed by it: FOLDER STORE COUNT SEED. Archives stories, acknowledges them, and uploads their files.

It does what a worker does: a story is acknowledged when its batch has returned, and whatever is not acknowledged is delivered
again after a restart. Ends when every story is acknowledged and every file is copied.
"""

import os
import random
import sys
from pathlib import Path

from tearsheet.archive.copies import Copies, stores_by_name
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.upload import Uploader
from tearsheet.engines.database import open_database
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import large_story

folder, url, count, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
chance = random.Random(seed)
database = open_database("t.db", folder)
database.migrate()
stores = stores_by_name([url], folder, 2)
store = ArchiveStore(database)
archiver = Archiver(store, folder / "archive", stores=list(stores), profile=chance.choice(["mediacloud", "full"]))
outbox = Outbox(database)
uploader = Uploader(outbox, Copies(store, folder / "archive", stores), stores)
acknowledgements = folder / "acknowledged"
done = set(acknowledgements.read_text().split()) if acknowledgements.exists() else set()
waiting = [number for number in range(count) if str(number) not in done]
print("ready", flush=True)
with acknowledgements.open("a") as stream:
    while waiting:
        batch = waiting[: chance.randint(1, 6)]
        archiver.process_batch([large_story(number) for number in batch])
        stream.write("".join(f"{number}\n" for number in batch))
        stream.flush()
        os.fsync(stream.fileno())
        waiting = waiting[len(batch) :]
        uploader.run(all_now=True)
while any(state.waiting for state in outbox.states()):
    uploader.run(all_now=True)
print("done", flush=True)

"""Killed at every step and at random moments while archiving and uploading, or two at once: no story lost, none archived twice, no
upload lost."""

from __future__ import annotations

import asyncio
import hashlib
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.verify import verify_file
from tearsheet.engines.blobs.opener import open_blobs
from tearsheet.engines.broker.port import Output
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.story import WireStory, decode_story
from tearsheet.work.ledger import Ledger
from tearsheet.work.packing import new_message
from tests.support.archive_stories import large_story
from tests.support.archive_until_killed import MOMENTS, OF_UPLOADER
from tests.support.blob_stores import S3Harness
from tests.support.flaky_proxy import FlakyProxy
from tests.support.paths import ROOT

SCRIPT = "tests.support.archive_until_killed"
QUEUE = "archiver-in"


class Run:
    """A folder with queued stories, and processes that archive them and are killed."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.read: dict[str, Counter[str]] = {}
        """The stories of each finished file, by its name."""
        self.numbers: dict[str, int] = {}
        database = open_database("t.db", folder)
        database.migrate()
        database.close()
        self._words = [sys.executable, "-m", SCRIPT, str(folder), url]
        self._processes: list[subprocess.Popen[str]] = []

    def close(self) -> None:
        for process in self._processes:
            process.communicate()

    def start(self, seed: int, moment: str, when: float) -> str:
        """Let a process work until it is killed or done; returns how it ended."""
        (ended,) = self.start_together([f"{seed} {moment} {when}"])
        return ended

    def start_together(self, lines: list[str]) -> list[str]:
        """Let processes work at the same time; returns how each ended."""
        while len(self._processes) < len(lines):
            pipe = subprocess.PIPE
            self._processes.append(subprocess.Popen(self._words, cwd=ROOT, stdin=pipe, stdout=pipe, text=True))
        at_work = list(zip(self._processes, lines, strict=False))
        for process, line in at_work:
            assert process.stdin is not None
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
        return [process.stdout.readline().strip() for process, _ in at_work if process.stdout is not None]

    def send(self, count: int, *, twice: bool = False) -> None:
        """Queue more stories, or each of them twice, as a queuer does that was killed and begins again."""
        stories = [large_story(len(self.numbers) + n) for n in range(count)]
        self.numbers |= {story.id: len(self.numbers) + n for n, story in enumerate(stories)}
        asyncio.run(self._publish([Output(QUEUE, new_message(story)) for story in stories * (1 + twice)]))

    async def _publish(self, outputs: list[Output]) -> None:
        broker = SqliteBroker(self.folder / "queues.db")
        await broker.publish(outputs)
        await broker.close()

    def queued(self) -> set[str]:
        """The stories that will come again."""

        async def look() -> set[str]:
            broker = SqliteBroker(self.folder / "queues.db")
            messages = await broker.peek(QUEUE, 100_000)
            await broker.close()
            return {decode_story(WireStory(message.body, message.page)).id for message in messages}

        return asyncio.run(look())

    def finished(self) -> Counter[str]:
        """The stories of all finished files, here or in the folder of copies; each file is read once, and must be whole."""
        for path in [*self.folder.glob("archive/**/*.warc.gz"), *self.folder.glob("copies/**/*.warc.gz")]:
            if path.name not in self.read:
                with StoryArchiveReader(path) as reader:
                    entries = list(reader.archived())
                assert reader.damages == []
                for entry in entries:
                    assert entry.story == large_story(self.numbers[entry.story.id])
                self.read[path.name] = Counter(entry.story.id for entry in entries)
        return sum(self.read.values(), Counter())

    def check_after_kill(self) -> None:
        finished = self.finished()
        assert set(self.numbers) == set(finished) | self.queued(), "none is lost"
        assert max(finished.values(), default=1) == 1, "none is archived twice"
        for path in self.folder.glob("archive/**/*.warc.gz.tmp"):
            with StoryArchiveReader(path) as reader:  # nobody's evidence, and yet no half story is taken for one
                for entry in reader.archived():
                    assert entry.story == large_story(self.numbers[entry.story.id])

    def check_at_the_end(self, url: str) -> None:
        self.check_after_kill()
        assert self.queued() == set()
        assert list(self.folder.glob("archive/**/*.tmp")) == []
        database = open_database("t.db", self.folder)
        store, blobs = ArchiveStore(database), open_blobs(url, self.folder, patience=5)
        files = list(store.files())
        assert {file.name for file in files} == set(self.read)
        for file in files:
            assert hashlib.sha256(blobs.get(file.key)).hexdigest() == file.sha256
            assert len(store.proved_stores(file.id)) == 1
            path = file.local_path(self.folder / "archive")
            assert path.exists() == file.local
            if file.local:
                assert verify_file(path, file, store.captures_of_file(file.id)).problems == []
        assert store.known(self.numbers) == set(self.numbers)
        assert sum(count.stories for count in Ledger(database).counts()) == len(self.numbers), "each is counted once"
        blobs.close()
        database.close()


@pytest.fixture
def run(tmp_path):
    made = Run(tmp_path, "copies")
    yield made
    made.close()


def prove_at_every_moment(run: Run, times: range) -> Counter[str]:
    """Kill a process at each moment; returns how many were killed, in which part of the work."""
    kills = 0
    parts: Counter[str] = Counter()
    for time in times:
        for moment in MOMENTS:
            run.send(5)
            assert run.start(kills, moment, time) == "killed", moment
            kills += 1
            parts["uploader" if moment.partition(":")[0] in OF_UPLOADER else "archiver"] += 1
            run.check_after_kill()
    assert run.start(kills, "none", 0) == "done"
    run.check_at_the_end("copies")
    return parts


def prove_at_random(run: Run, url: str, kills: int) -> None:
    chance = random.Random(kills)
    for seed in range(kills):
        if run.start(seed, "any", chance.random() * 0.5) == "killed":
            run.check_after_kill()
    assert run.start(kills, "none", 0) == "done"
    run.check_at_the_end(url)


@pytest.mark.timeout(400)
def test_a_kill_before_and_after_every_step_of_archiving_and_uploading(run):
    assert prove_at_every_moment(run, range(1, 2)).total() == 22


@pytest.mark.proof
@pytest.mark.timeout(400)
def test_two_at_once_on_one_folder_and_one_queue_share_no_story_and_no_file(run):
    """Half of the stories come twice, so that both processes are given the same; one of them is killed now and then."""
    for seed in range(0, 12, 2):
        run.send(4)
        run.send(8, twice=True)
        killed = "any 0.1" if seed % 4 else "none 0"
        ended = run.start_together([f"{seed} {killed}", f"{seed + 1} none 0"])
        assert ended[0] in ("done", "killed") and ended[1] == "done"
        run.check_after_kill()
    run.send(1)  # leftovers are removed when the next story comes
    assert run.start(99, "none", 0) == "done"
    run.check_at_the_end("copies")


@pytest.mark.slow
@pytest.mark.kills
@pytest.mark.timeout(3000)
def test_kills_at_later_turns_of_every_step(run, kills):
    kills.update(prove_at_every_moment(run, range(1, 4)))
    assert kills == {"archiver": 36, "uploader": 30}


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_many_kills_at_random_with_copies_to_a_folder(run):
    run.send(1500)
    prove_at_random(run, "copies", 50)


@pytest.mark.engine("s3")
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("kills", "count"), [(2, 24), pytest.param(50, 1500, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])]
)
def test_kills_while_copying_to_a_real_store_behind_a_proxy_that_fails_half_the_time(tmp_path, kills, count):
    harness = S3Harness()
    harness.prepare(tmp_path)
    proxy = FlakyProxy(harness.url, seed=1)  # with which the first connection breaks, however few there are
    run = Run(tmp_path, proxy.url)
    try:
        run.send(count)
        prove_at_random(run, harness.url, kills)
        assert proxy.broken > kills / 4
    finally:
        run.close()
        proxy.close()
        harness.remove()

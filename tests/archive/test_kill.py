"""Killed at random moments while writing and uploading: no story lost, none half-written accepted, no upload lost."""

import hashlib
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.verify import verify_file
from tearsheet.engines.blobs.opener import open_blobs
from tearsheet.engines.database import open_database
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import large_story
from tests.support.blob_stores import S3Harness
from tests.support.flaky_proxy import FlakyProxy
from tests.support.paths import ROOT

SCRIPT = "tests.support.archive_until_killed"


class Run:
    def __init__(self, folder: Path, url: str, count: int) -> None:
        self.folder, self.url, self.count = folder, url, count
        self.read: dict[Path, set[str]] = {}
        self.numbers = {large_story(number).id: number for number in range(count)}

    def start(self, seed: int) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", SCRIPT, str(self.folder), self.url, str(self.count), str(seed)]
        return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def kill_once(self, seed: int, chance: random.Random) -> bool:
        """Start, wait until it works, kill. True when it had finished before."""
        process = self.start(seed)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.5)
        process.kill()
        rest = process.communicate()[0]
        return "done" in rest

    def finished(self) -> set[str]:
        """The stories of all finished files; each file is read once, and must be whole."""
        for path in (self.folder / "archive").rglob("*.warc.gz"):
            if path not in self.read:
                with StoryArchiveReader(path) as reader:
                    entries = list(reader.archived())
                assert reader.damages == []
                for entry in entries:
                    assert entry.story == large_story(self.numbers[entry.story.id])
                self.read[path] = {entry.story.id for entry in entries}
        return set().union(*self.read.values())

    def check_after_kill(self) -> None:
        acknowledged = self.folder / "acknowledged"
        numbers = [int(word) for word in acknowledged.read_text().split()] if acknowledged.exists() else []
        assert {large_story(number).id for number in numbers} <= self.finished()
        for path in (self.folder / "archive").rglob("*.warc.gz.tmp"):
            with StoryArchiveReader(path) as reader:  # nobody's evidence, and yet no half story is taken for one
                for entry in reader.archived():
                    assert entry.story == large_story(self.numbers[entry.story.id])


def prove(run: Run, url: str, kills: int) -> None:
    chance = random.Random(kills)
    for seed in range(kills):
        if run.kill_once(seed, chance):
            break
        run.check_after_kill()
    last = run.start(kills)
    assert "done" in last.communicate(timeout=500)[0]
    assert run.finished() == set(run.numbers)
    database = open_database("t.db", run.folder)
    store = ArchiveStore(database)
    Archiver(store, run.folder / "archive").recover()
    assert list((run.folder / "archive").rglob("*.tmp")) == []
    blobs = open_blobs(url, run.folder, patience=5)
    files = list(store.files())
    assert {file.local_path(run.folder / "archive") for file in files} == set(run.read)
    for file in files:
        path = file.local_path(run.folder / "archive")
        assert verify_file(path, file, store.captures_of_file(file.id)).problems == []
        assert hashlib.sha256(blobs.get(file.key)).hexdigest() == file.sha256
        assert len(store.proved_stores(file.id)) == 1
    assert store.known(run.numbers) == set(run.numbers)
    blobs.close()
    database.close()


@pytest.mark.timeout(400)
def test_a_few_kills_with_copies_to_a_folder(tmp_path):
    prove(Run(tmp_path, "copies", 24), "copies", 2)


@pytest.mark.engine("s3")
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("kills", "count"), [(2, 24), pytest.param(50, 1500, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])]
)
def test_kills_while_copying_to_a_real_store_behind_a_proxy_that_fails_half_the_time(tmp_path, kills, count):
    harness = S3Harness()
    harness.prepare(tmp_path)
    proxy = FlakyProxy(harness.url, seed=kills)
    try:
        prove(Run(tmp_path, proxy.url, count), harness.url, kills)
        assert proxy.broken > kills / 4
    finally:
        proxy.close()
        harness.remove()

"""A pipeline and its backups in processes of their own, killed at any moment; the data folder is destroyed, and restored.

The pipeline is the real one: stories of a WARC file go through a tracker, queues, the importer and the archiver.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from tearsheet.app.backups import back_up, restore
from tearsheet.app.pipelines import run_files
from tearsheet.app.queues import read_depths
from tearsheet.app.services import Services
from tearsheet.app.sources import FileSource
from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.backup import BackupPlace
from tearsheet.backup.layout import FOLDER_ID, RESTORING
from tearsheet.engines.blobs import open_blobs
from tearsheet.pipeline import pipeline_named
from tearsheet.query import parse_query
from tearsheet.settings import load_settings
from tearsheet.urls import url_hash
from tests.support.archive_stories import plain_story

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.support.backup_kills"])
_CONFIG = """
[pipeline]
import_batch = 7
import_seconds = 0.02
low_water = 20
high_water = 40
[archive]
max_stories = 5
max_seconds = 0.05
[engines]
patience_seconds = 5.0
[pipelines.again]
queuer = "archive"
stages = ["importer", "archiver"]
"""


def services_of(data: Path) -> Services:
    """The services of a data folder."""
    return Services(load_settings(data, {"log.level": "error"}, environ={}))


def work(data: Path, stories: Path, *, queue_only: bool = False) -> None:
    """Run the pipeline until all stories are archived, or only until all are queued."""
    with services_of(data) as services:
        pipeline = pipeline_named("again", services.settings.pipelines)
        source = FileSource(services, pipeline, [str(stories)])
        run_files(services, pipeline, source, lambda collector: [], queue_only=queue_only)


def queue(data: Path, stories: Path) -> None:
    """Only queue the stories."""
    work(data, stories, queue_only=True)


def back_up_again_and_again(data: Path, place: str, notes: Path) -> None:
    """Make backups until killed. Before each, note what is settled; the file's name says how many backups there were before."""
    while True:
        with services_of(data) as services:
            with place_of(place, data) as opened:
                before = len(opened.names())
            archive = services.archive
            settled = [capture.story_id for file in archive.files() for capture in archive.captures_of_file(file.id)]
            (notes / f"{before}.tmp").write_text(json.dumps(settled))
            (notes / f"{before}.tmp").replace(notes / f"{before}.json")
            made = back_up(services, place, new=False, without=(), keep=None, tell=lambda _: None)
            assert made.missing == [], made.missing


def bring_back(data: Path, place: str) -> None:
    """Restore the newest backup."""
    restore(load_settings(data, environ={}), place, None, dry_run=False, tell=lambda _: None)


def place_of(url: str, data: Path) -> BackupPlace:
    """The place, as a test looks at it."""
    return BackupPlace(open_blobs(url, data, patience=5), url)


@dataclass
class Ordeal:
    """A data folder that is lost again and again."""

    folder: Path
    place: str
    count: int
    chance: random.Random
    restored: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    """How many processes were killed while they were at work, by part."""
    processes: list[BaseProcess] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.data, self.notes = self.folder / "data", self.folder / "notes"
        for made in (self.data, self.notes):
            made.mkdir()
        (self.data / "config.toml").write_text(_CONFIG)
        (self.data / FOLDER_ID).write_text("ours")
        with place_of(self.place, self.data) as place:
            place.begin("ours")
        self.stories = self.write(range(self.count))
        self.ids = {plain_story(number).id for number in range(self.count)}

    def write(self, numbers: Iterable[int]) -> Path:
        """A WARC file of these stories, as input for the pipeline."""
        with StoryArchiveWriter(self.folder / "warcs") as writer:
            for number in numbers:
                page = b"<html>" + random.Random(number).randbytes(2_000).hex().encode()
                writer.write(plain_story(number, page, text_content=f"Story number {number}.", language="en"))
        return writer.close().path

    def start(self, do: Callable[..., None], *arguments: object) -> BaseProcess:
        process = _FORKS.Process(target=do, args=arguments)
        process.start()
        self.processes.append(process)
        return process

    def kill_queuer(self) -> None:
        """Queue stories until some moment; kill the queuer."""
        queuer = self.start(queue, self.data, self.stories)
        time.sleep(self.chance.random() * 0.5)
        queuer.kill()
        queuer.join()
        self.kills["queuer"] += queuer.exitcode == -9

    def lose_once(self) -> None:
        """Work and back up until some moment; kill both; destroy the folder; restore it; compare."""
        before = self.finished()
        pipeline = self.start(work, self.data, self.stories)
        backups = self.start(back_up_again_and_again, self.data, self.place, self.notes)
        if not before or self.chance.random() < 0.5:  # else the backup is perhaps not finished, or not even begun
            while self.finished() == before and backups.is_alive():
                time.sleep(0.02)
        time.sleep(self.chance.random())
        for process in self.chance.sample([pipeline, backups], 2):
            process.kill()
            process.join()
        self.kills["run of a pipeline"] += pipeline.exitcode == -9
        self.kills["backup"] += 1
        assert pipeline.exitcode in (0, -9) and backups.exitcode == -9, (pipeline.exitcode, backups.exitcode)
        shutil.rmtree(self.data)
        if self.chance.random() < 0.5:
            restoring = self.start(bring_back, self.data, self.place)
            time.sleep(self.chance.random() * 0.3)
            restoring.kill()
            restoring.join()
            self.kills["restore"] += restoring.exitcode == -9
        # A kill may also come when there is only an empty folder.
        if (self.data / RESTORING).exists() or not (self.data / "tearsheet.db").exists():
            bring_back(self.data, self.place)
        self.restored += 1
        self.compare(set(json.loads((self.notes / f"{self.finished() - 1}.json").read_text())))

    def finished(self) -> int:
        """How many backups there are."""
        with place_of(self.place, self.data) as place:
            return len(place.names())

    def compare(self, settled: set[str]) -> None:
        """What was settled before the moment is there; what is not there is in a queue, or is still to be queued."""
        with services_of(self.data) as services:
            missing = settled - services.archive.known(self.ids)
            assert not missing, (len(missing), len(settled), self.finished())
            wanted = [url_hash(plain_story(number).content_metadata.url or "") for number in range(self.count)]
            indexed = {story.story_id for story in services.index.get(wanted) if story is not None}
            assert settled <= indexed
            assert services.index.count(parse_query("*")) == len(indexed), "the words are those of the stories"

    def finish(self) -> None:
        """Let the pipeline come to its end, and find every story once, in the index, the archive and its files."""
        work(self.data, self.stories)
        with services_of(self.data) as services:
            services.index.refresh()
            assert services.index.count(parse_query("*")) == self.count
            assert services.archive.known(self.ids) == self.ids
            assert {name: depth.total for name, depth in read_depths(services).items() if depth.total} == {}
            archived: Counter[str] = Counter()
            for path in (self.data / "archive").rglob("*.warc.gz"):
                with StoryArchiveReader(path) as reader:
                    archived.update(story.id or "" for story in reader)
                assert reader.damages == []
        assert archived == Counter(self.ids)

    def end(self) -> None:
        """Leave no process behind."""
        for process in self.processes:
            process.kill()
            process.join()

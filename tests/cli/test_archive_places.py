"""Copies on a second disk: they are there, a disk that is away is told and never made, and old settings lose no copy."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.databases import take_back
from tests.support.moved_archive import collect
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services


class Scene:
    """A data folder with a second disk beside it, and what a user types."""

    def __init__(self, folder: Path) -> None:
        self.data, self.disk = folder / "data", folder / "disk"
        self.data.mkdir()
        self.disk.mkdir()

    def configure(self, *stores: str) -> None:
        lines = ["[archive]", f"stores = {json.dumps(stores)}", "remove_local = true", "local_days = 0", ""]
        (self.data / "config.toml").write_text("\n".join(lines))

    def collect(self) -> str:
        """Three stories in one file; returns the id of one of them."""
        with open_services(self.data) as services:
            return collect(services)[0].id

    def run(self, *words: str, code: int = 0) -> str:
        result = in_process(*words, data=self.data)
        assert result.exit_code == code, (result.output, result.exception)
        return " ".join(result.output.split())

    def warcs(self, below: Path) -> list[Path]:
        return sorted(below.rglob("*.warc.gz"))


@pytest.fixture
def scene(tmp_path) -> Scene:
    return Scene(tmp_path)


def test_a_store_on_another_disk_is_on_that_disk(scene):
    scene.configure(f"file://{scene.disk}/archive")
    story = scene.collect()
    scene.run("archive", "upload", "--now")
    assert len(scene.warcs(scene.disk / "archive")) == 1
    assert scene.warcs(scene.data) == []
    assert f"{scene.disk}/archive: 1 copied, 0 waiting" in scene.run("archive", "list")
    assert "harbour-herald.example" in scene.run("archive", "extract", story)


def test_a_disk_that_is_away_is_told_by_every_command_and_made_by_none(scene):
    scene.configure(f"file://{scene.disk}/archive")
    story = scene.collect()
    scene.run("archive", "upload", "--now")
    scene.disk.rename(scene.disk.with_name("shelf"))
    told = f"there is no folder {scene.disk}"
    for words, code in [
        (("archive", "extract", story), 7),
        (("archive", "replay", story), 7),
        (("archive", "verify"), 3),
        (("index", "rebuild"), 3),
        (("doctor",), 1),
    ]:
        assert told.replace(" ", "") in scene.run(*words, code=code).replace(" ", ""), words  # tables break lines
        assert not scene.disk.exists(), words
    scene.disk.with_name("shelf").rename(scene.disk)
    scene.run("archive", "extract", story)
    assert "3 were there" in scene.run("index", "rebuild")


def test_a_forgotten_store_is_filled_again(scene):
    scene.configure(f"file://{scene.disk}/archive")
    scene.collect()
    scene.run("archive", "upload", "--now")
    assert "no copies went to elsewhere" in scene.run("archive", "forget", "elsewhere", code=5)
    told = scene.run("archive", "forget", f"file://{scene.disk}/archive", code=3)
    assert f"1 copy in {scene.disk}/archive is to be made or proved again" in told
    assert "1 file is now neither here nor in any store" in told
    scene.run("archive", "upload", "--now")
    assert "1 file, 3 stories" in scene.run("archive", "verify")


def test_copies_that_an_earlier_version_left_in_the_data_folder_are_read_and_moved(scene):
    """Three slashes meant the data folder: so did the database, and so lay the files."""
    inside = str(scene.disk / "archive").lstrip("/")
    scene.configure(inside)
    story = scene.collect()
    scene.run("archive", "upload", "--now")
    (only,) = scene.warcs(scene.data / inside)
    take_back(scene.data / "tearsheet.db", "0012")
    with closing(sqlite3.connect(scene.data / "tearsheet.db")) as database, database:
        database.execute("UPDATE archive_uploads SET store = 'file:///' || store")
    scene.configure(f"file://{scene.disk}/archive")
    for words, code in [(("archive", "extract", story), 4), (("archive", "upload"), 4), (("doctor",), 1)]:
        told = scene.run(*words, code=code)
        assert f"an earlier version took it for {scene.data}/{inside}" in told
        assert f"write '{inside}' to keep that one, or '/{inside}' for the other" in told
    # Under its other name, the copies that are known are still read, and are copied over.
    scene.configure(f"/{inside}")
    scene.run("archive", "extract", story)
    scene.run("archive", "upload", "--now")
    (moved,) = scene.warcs(scene.disk)
    assert moved.read_bytes() == only.read_bytes()
    shutil.rmtree(scene.data / Path(inside).parts[0])
    scene.configure(f"file://{scene.disk}/archive")
    scene.run("archive", "extract", story)
    shutil.rmtree(scene.data / "index")
    assert "3 stories indexed" in scene.run("index", "rebuild")

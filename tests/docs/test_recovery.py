"""The pages on safety and reprocessing, typed line by line against a second disk and a bucket: every story comes back."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.demo.cases import Case
from tearsheet.query import parse_query
from tearsheet.story import Story
from tests.support.blob_stores import S3Harness
from tests.support.moved_archive import collect
from tests.support.paths import ROOT
from tests.support.second_disk import second_disk
from tests.support.tearsheet_command import in_process, tearsheet, write_config
from tests.support.web_seed import open_services

DATA = "tearsheet-data"
BUCKET = "s3://KEY:SECRET@objects.example.org/archive"


class Page:
    """A page of the documentation, by section; it knows which of its command lines were not typed yet."""

    def __init__(self, name: str, instead: dict[str, str]) -> None:
        parts = re.split(r"^## (.+)$", (ROOT / "docs/how-to" / name).read_text("utf-8"), flags=re.MULTILINE)
        self.sections = dict(zip(parts[1::2], parts[2::2], strict=True))
        self.untyped = [line for section in self.sections for line in self.lines(section)]
        self._instead = instead

    def lines(self, section: str) -> list[str]:
        return re.findall(r"^    ((?:tearsheet|mkdir|cp) .+?)(?:  +#.*)?$", self.sections[section], re.MULTILINE)

    def settings(self, section: str) -> list[str]:
        """The blocks of settings of a section, as this machine has them."""
        return [self._here(block) for block in re.findall(r"```toml\n(.+?)```", self.sections[section], re.DOTALL)]

    def _here(self, text: str) -> str:
        for theirs, ours in self._instead.items():
            text = text.replace(theirs, ours)
        return text

    def type(self, section: str, code: int = 0) -> str:
        """Type all lines of a section; returns what they print."""
        said = ""
        for line in self.lines(section):
            said += self.type_line(line, code)
        return said

    def type_line(self, line: str, code: int = 0) -> str:
        self.untyped.remove(line)
        return run(self._here(line), code)


def run(line: str, code: int = 0) -> str:
    """What a command line prints."""
    command, _, target = line.partition(" > ")
    words = shlex.split(command)
    if words[0] != "tearsheet":
        subprocess.run(words, check=True)
        return ""
    if words[1] == "pipeline":
        done = tearsheet(*words[1:], data=Path(DATA))
        assert done.returncode == code, (line, done.stderr)
        return done.stdout + done.stderr
    result = in_process(*words[1:], data=Path(DATA))
    assert result.exit_code == code, (line, result.output, result.exception)
    if target:
        Path(target).write_text(result.stdout)
    return " ".join(result.output.split())


def collected() -> list[Story]:
    """Five stories in two files, of two feeds."""
    with open_services(Path(DATA)) as services:
        stories = collect(services, range(3)) + collect(services, range(3, 5))
    run("tearsheet feeds add https://harbour-herald.example/rss")
    return stories


def check_all_are_there(stories: list[Story]) -> None:
    assert json.loads(run("tearsheet count '*' --json"))[0]["stories"] == len(stories)
    with open_services(Path(DATA)) as services:
        for story in stories:
            captures = services.captures
            assert captures.read(captures.find(story.id)).story == story


def warcs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.warc.gz"))


def waiting_story() -> Path:
    """A list of one address."""
    path = Path("waiting.csv")
    path.write_text("url\nhttps://harbour-herald.example/waiting\n")
    return path


def queued() -> int:
    rows = json.loads(run("tearsheet queues list --json"))
    return sum(row["ready"] for row in rows if row["queue"] == "csv.fetcher-in")


@pytest.fixture
def disk(tmp_path, monkeypatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    Path(DATA).mkdir()
    with second_disk(tmp_path) as disk:
        yield disk


@pytest.fixture(params=["a disk", pytest.param("a disk and a bucket", marks=pytest.mark.engine("s3"))])
def instead(request, tmp_path, disk) -> Iterator[dict[str, str]]:
    """What stands on this machine for the places in the pages."""
    places = {"/mnt/second-disk": str(disk), "local_days = 7": "local_days = 0"}
    if request.param == "a disk":
        yield places | {f', "{BUCKET}"': ""}
        return
    harness = S3Harness()
    harness.prepare(tmp_path)
    yield places | {BUCKET: harness.url}
    harness.remove()


@pytest.mark.timeout(300)
def test_keep_data_safe(instead, disk):
    page = Page("keep-data-safe.md", instead)
    config, copies, here = Path(DATA, "config.toml"), disk / "archive", Path(DATA, "archive")
    stories = collected()
    page.type("Check")

    stores, removing = page.settings("Copy as it is collected")
    config.write_text(stores)
    said = page.type("Copy as it is collected")
    assert f"{copies}, on a disk of its own" in said
    assert f"{copies}: 2 copied, 0 waiting" in said
    assert warcs(copies) == warcs(here) and len(warcs(here)) == 2
    assert {path.name for path in Path(DATA).iterdir()}.isdisjoint({"mnt", "dev"})

    shutil.rmtree(copies)  # the disk is lost, and a new one is mounted in its place
    assert "mount its disk" in run("tearsheet doctor", code=1)
    config.write_text(stores + removing)
    assert "mount its disk" in run("tearsheet archive upload --now", code=3)
    assert len(warcs(here)) == 2, "nothing is removed on the word of a lost disk"
    config.write_text(stores)
    page.type("When a disk is not mounted")
    assert warcs(copies) == warcs(here)

    (place,) = page.settings("Back up everything, while it runs")
    first, nightly, *looking = page.lines("Back up everything, while it runs")
    page.type_line(first)
    run(f"tearsheet pipeline run csv --queue-only {waiting_story()}")
    page.type_line(nightly)
    config.write_text(stores + place)
    said = "".join(map(page.type_line, looking))
    assert said.count("0.1.0") == 2 and "0 problems" in said
    shutil.rmtree(DATA)
    page.type("Bring everything back")
    check_all_are_there(stories)
    assert config.read_text() == stores
    assert "https://harbour-herald.example/rss" in run("tearsheet feeds list --json")
    assert queued() == 1
    run("tearsheet queues purge csv.fetcher-in --yes")

    page.type("Take everything out")
    config.write_text(stores + removing)
    run("tearsheet archive upload --now")
    assert warcs(here) == []
    check_all_are_there(stories)

    shutil.rmtree(Path(DATA, "index"))
    page.type("When the index is lost")
    check_all_are_there(stories)

    shutil.rmtree(DATA)
    Path(DATA).mkdir()
    config.write_text(stores)
    before = {path: path.stat().st_mtime_ns for path in copies.rglob("*.warc.gz")}
    page.type("When the database is lost, or everything here")
    check_all_are_there(stories)
    assert "https://harbour-herald.example/rss" in run("tearsheet feeds list --json")
    run("tearsheet archive upload --now")
    assert {path: path.stat().st_mtime_ns for path in copies.rglob("*.warc.gz")} == before, "they were there already"
    assert "0 problems" in run("tearsheet archive verify")
    assert page.untyped == []


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_reprocess(instead, disk):
    page = Page("reprocess.md", instead)
    newsroom = Newsroom(seed=3, sites=8, articles=48)
    plain = [e.link for e in newsroom.expectation().entries if e.case is Case.PLAIN and e.outcome == "indexed"]
    addresses = list(dict.fromkeys(plain))[:6]
    list_of_urls = Path("urls-2024-05-06.csv.gz")
    list_of_urls.write_bytes(gzip.compress("\n".join(["url", *addresses]).encode()))
    store = instead.get(BUCKET, f"file://{disk}/archive")
    stores = {"archive.stores": [store], "archive.remove_local": True, "archive.local_days": 0.0}
    with serve_in_thread(newsroom) as server:
        write_config(Path(DATA), server, newsroom, **stores)
        page.type("Run one on files")
    run("tearsheet archive upload --now")
    assert warcs(Path(DATA)) == []

    with open_services(Path(DATA)) as services:
        found = services.index.search(parse_query("*"), limit=100).stories
        stories = [services.captures.read(services.captures.find(story.story_id)).story for story in found]
    assert {story.url for story in stories} == set(addresses)
    page.type("A better parser over the whole archive")
    (switch,) = re.findall(
        r"^    (\[engines\])\n    (.+)$", page.sections["A better parser over the whole archive"], re.MULTILINE
    )
    with Path(DATA, "config.toml").open("a") as config:
        config.write("\n".join(["", *switch, ""]))
    shutil.rmtree(Path(DATA, "index"))  # as the page says
    check_all_are_there(stories)

    run(f"tearsheet pipeline run csv --queue-only --force {list_of_urls}")
    assert queued() == 6
    dump, load = page.lines("Keep queues aside, or move them to another broker")
    page.type_line(dump)
    assert queued() == 0
    page.type_line(load)
    assert queued() == 6
    assert page.untyped == []

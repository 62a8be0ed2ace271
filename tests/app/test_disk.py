"""Which disks a run fills, and what is refused or waits when one of them is nearly full."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
from collections import namedtuple
from contextlib import AsyncExitStack

import pytest

from tearsheet.app.disk import disk_floor, disk_state, filled_places, require_space
from tearsheet.app.services import Services
from tearsheet.app.sources import FileSource
from tearsheet.errors import StorageError
from tearsheet.ingest import IngestRequest
from tearsheet.pipeline import pipeline_named
from tearsheet.settings import Settings
from tests.support.tearsheet_command import in_process

Usage = namedtuple("Usage", "total used free")
HUGE = 2**53


@pytest.fixture
def settings(tmp_path) -> Settings:
    settings = Settings(tmp_path)
    settings.storage.min_free_bytes = HUGE
    settings.engines.patience_seconds = 0
    return settings


def test_every_place_on_this_machine_counts_and_no_server(settings, tmp_path):
    settings.engines.database = "postgresql://db.example/x"
    settings.engines.index = "/mnt/quick/index"
    settings.pages.active = True
    with Services(settings) as services:
        found = [str(place) for place in filled_places(services)]
    inside = ["", "/archive", "/pages", "/queues.db", "/blobs", "/events"]
    assert sorted(found) == sorted([*(f"{tmp_path}{name}" for name in inside), "/mnt/quick/index"])


def test_the_state_says_what_is_free_and_why_queuers_pause(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**60, 0, HUGE))
    with Services(settings) as services:
        assert disk_state(services).short == ""
        require_space(services)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**60, 0, HUGE - 1))
        state = disk_state(services)
        assert (state.folder, state.free_bytes, state.floor_bytes) == (str(tmp_path), HUGE - 1, HUGE)
        with pytest.raises(StorageError, match="make room, or lower this setting"):
            require_space(services)


def test_no_document_is_ingested_below_the_floor(settings):
    request = IngestRequest("http://paper.example/")
    with Services(settings) as services:
        with pytest.raises(StorageError, match="make room"):
            services.ingest.ingest([request], lambda result: pytest.fail("ingested"))
        with pytest.raises(ExceptionGroup) as raised:
            services.ingest.run_workers(["ingest"], once=True)
        assert isinstance(raised.value.exceptions[0], StorageError)


def test_files_are_queued_in_part_told_so_and_taken_up_again(tmp_path):
    data, urls = tmp_path / "data", tmp_path / "urls.csv"
    data.mkdir()
    urls.write_text("url\nhttp://a.example/1\nhttp://a.example/2\n")
    config = data / "config.toml"
    config.write_text(f"[storage]\nmin_free_bytes = {HUGE}\n[engines]\npatience_seconds = 0.0\n")
    line = ["pipeline", "run", "csv", urls, "--queue-only"]
    short = in_process(*line, data=data)
    assert short.exit_code == 3
    assert "not all stories were queued: only" in " ".join(short.output.split())
    assert "Queuers of this machine pause: only" in " ".join(in_process("status", data=data).output.split())
    config.write_text("[storage]\nmin_free_bytes = 0\n")
    done = in_process(*line, data=data)
    assert done.exit_code == 0, done.output
    status = json.loads(in_process("status", "--json", data=data).output)
    assert [row["ready"] for row in status["queues"]] == [2]
    assert status["disk"]["short"] == ""


def test_a_run_of_feeds_ends_with_what_it_left(tmp_path):
    (tmp_path / "config.toml").write_text(
        f"[storage]\nmin_free_bytes = {HUGE}\n[engines]\npatience_seconds = 0.0\n[pipeline]\nparser_processes = 1\n"
    )
    assert in_process("feeds", "add", "http://paper.example/feed", data=tmp_path).exit_code == 0
    done = in_process("--quiet", "run", "--once", "--no-web", "--json", data=tmp_path)
    assert done.exit_code == 3, done.output
    summary = json.loads(done.stdout.splitlines()[0])
    assert summary["entries"] == 0 and "make room" in summary["short_of_disk"], "not even polled"


def test_a_run_that_is_to_end_waits_a_moment_and_others_as_long_as_it_takes(tmp_path):
    with Services(Settings(tmp_path)) as services:
        assert services.settings.engines.patience_seconds > 10
        assert disk_floor(services, once=True).patience <= 5
        assert disk_floor(services, once=False).patience == math.inf


def test_a_queuer_goes_on_when_there_is_room_again(tmp_path, monkeypatch):
    frees = iter([10, 10, 10])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 0, next(frees, 10_000)))
    monkeypatch.setattr("tearsheet.app.disk.filled_places", lambda services: [tmp_path])
    settings, urls = Settings(tmp_path), tmp_path / "urls.csv"
    settings.storage.min_free_bytes = 1_000
    urls.write_text("url\nhttp://a.example/1\n")

    async def queue(services: Services) -> int:
        async with AsyncExitStack() as stack:
            broker = services.open_broker()
            stack.push_async_callback(broker.close)
            source = FileSource(services, pipeline_named("csv", {}), [str(urls)])
            await source.open(broker, stack, once=True)(asyncio.Event())
            return source.tally.stories

    with Services(settings) as services:
        assert asyncio.run(queue(services)) == 1
    assert next(frees, None) is None

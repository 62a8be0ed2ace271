"""What goes wrong on other people's machines: one line that says what to do, the documented exit code, nothing lost."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import Result

from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tests.support.tearsheet_command import command, environment, in_process, tearsheet, write_config

FEED = "http://paper.example/feed"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


def said(done: subprocess.CompletedProcess[str] | Result) -> str:
    """The error: the one line on stderr that begins with the program's name."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("tearsheet: ")]
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


def test_a_port_in_use_names_the_port_before_anything_starts(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = in_process("run", FEED, "--port", str(port), data=tmp_path)
    assert done.exit_code == 6
    assert str(port) in said(done)
    assert "--port" in said(done)


def test_a_bad_setting_is_named(tmp_path):
    (tmp_path / "config.toml").write_text("[web]\nport = 'seven'\n")
    done = tearsheet("run", data=tmp_path)
    assert done.returncode == 4
    assert "web.port" in said(done)


def test_a_newer_database_is_refused_and_left_alone(tmp_path):
    assert in_process("status", data=tmp_path).exit_code == 0
    with sqlite3.connect(tmp_path / "tearsheet.db") as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    db.close()
    before = (tmp_path / "tearsheet.db").read_bytes()
    done = in_process("run", FEED, "--no-web", "--once", data=tmp_path)
    assert done.exit_code == 7
    assert "upgrade tearsheet" in said(done)
    assert (tmp_path / "tearsheet.db").read_bytes() == before


def test_a_data_folder_that_is_a_file_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for words, code in ((["status"], 5), (["feeds", "add", FEED], 16)):
        done = in_process(*words, data=tmp_path / "file" / "data")
        assert done.exit_code == code
        assert "--data" in said(done)


def test_a_data_folder_in_use_names_the_process(tmp_path):
    with subprocess.Popen(
        command("run", FEED, "--no-web", data=tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment({}),
    ) as first:
        try:
            while not (tmp_path / "run.lock").exists() or not (tmp_path / "run.lock").read_text():
                assert first.poll() is None
                time.sleep(0.05)
            done = tearsheet("run", FEED, "--no-web", data=tmp_path)
            assert done.returncode == 6
            assert str(first.pid) in said(done)
        finally:
            first.terminate()
            first.communicate(timeout=100)  # to its last word: a reader who leaves earlier breaks the pipe
    assert first.returncode == 0  # a clean stop


def test_an_unknown_feed_list_is_named(tmp_path):
    done = in_process("run", "no-such-list.opml", data=tmp_path)
    assert done.exit_code == 2
    assert "no-such-list.opml" in said(done)


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def newsroom() -> Newsroom:
    return Newsroom(seed=3, articles=60)


@pytest.fixture
def server(newsroom) -> Iterator[NewsroomServer]:
    with serve_in_thread(newsroom) as server:
        yield server


@needs_root
@pytest.mark.timeout(300)
def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(small_disk, newsroom, server):
    write_config(small_disk, server, newsroom, **{"storage.min_free_bytes": 0})
    feeds = [feed.url for feed in server.feed_urls()]
    full = tearsheet("run", *feeds, "--once", "--no-web", data=small_disk, timeout=200)
    assert full.returncode == 16, full.stderr
    assert "disk" in said(full)
    subprocess.run(["mount", "-o", "remount,size=300m", small_disk], check=True)
    done = tearsheet("run", *feeds, "--once", "--no-web", "--json", data=small_disk, timeout=200)
    assert done.returncode == 0, done.stderr
    assert f'"indexed": {newsroom.expectation().totals.indexed}' in done.stdout
    assert f'"archived": {newsroom.expectation().totals.archived}' in done.stdout


@needs_root
@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    "size", ["400k", "700k", "1m", "1400k", "1800k", "2200k", "2600k", "3400k", "4m", "5m", "6m", "8m"]
)
def test_a_disk_that_is_full_at_any_moment_loses_nothing(small_disk, newsroom, server, size):
    """Whatever is being written when the room ends: queues, index, tables, WARC files, copies of them."""
    subprocess.run(["mount", "-o", f"remount,size={size}", small_disk], check=True)
    copies = {"archive.stores": [str(small_disk / "copies")], "archive.max_stories": 7}
    write_config(small_disk, server, newsroom, **{"storage.min_free_bytes": 0, **copies})
    feeds = [feed.url for feed in server.feed_urls()]
    full = tearsheet("run", *feeds, "--once", "--no-web", data=small_disk, timeout=300)
    assert full.returncode in (0, 3, 16), full.stderr
    assert "Traceback" not in full.stderr, full.stderr
    if full.returncode:
        assert said(full)
    subprocess.run(["mount", "-o", "remount,size=300m", small_disk], check=True)
    done = tearsheet("run", *feeds, "--once", "--no-web", "--json", data=small_disk, timeout=300)
    if done.returncode == 3:  # copies that failed wait for their next try
        assert tearsheet("archive", "upload", "--now", data=small_disk).returncode == 0
    else:
        assert done.returncode == 0, done.stderr
    assert f'"indexed": {newsroom.expectation().totals.indexed}' in done.stdout
    assert f'"archived": {newsroom.expectation().totals.archived}' in done.stdout
    assert tearsheet("archive", "verify", data=small_disk).returncode == 0


@needs_root
def test_a_read_only_data_folder_is_named(small_disk):
    assert in_process("status", data=small_disk).exit_code == 0
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = in_process("run", FEED, "--no-web", "--once", data=small_disk)
    assert done.exit_code == 16
    assert str(small_disk) in said(done)


def test_a_run_ends_though_a_story_waits_for_another_try(tmp_path):
    data, urls = tmp_path / "data", tmp_path / "urls.csv"
    data.mkdir()
    urls.write_text("url\nhttp://gone.example/story\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = listener.getsockname()[1]
    (data / "config.toml").write_text(
        f'[fetch]\nallow_addresses = ["127.0.0.0/8"]\nconnect_to = {{"gone.example" = "127.0.0.1:{closed}"}}\n'
    )
    done = in_process("pipeline", "run", "csv", urls, data=data)
    assert done.exit_code == 3
    assert "1 story waits for another try, the first at " in done.stdout
    assert "run the pipeline again later" in said(done)
    again = in_process("pipeline", "run", "csv", urls, data=data)
    assert again.exit_code == 3, "it still waits, and is neither lost nor taken for done"

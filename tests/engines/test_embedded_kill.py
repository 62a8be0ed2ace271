"""The embedded blob store and event log under kill -9: what was confirmed is there, whole; what was not is whole or absent."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.engines.events.jsonl import JsonlEvents
from tearsheet.errors import StorageError

BLOB_WRITER = """
import sys
from pathlib import Path
from tearsheet.engines.blobs.folder import FolderBlobs
blobs, name = FolderBlobs(Path(sys.argv[1])), sys.argv[2]
for n in range(1_000_000):
    blobs.put(f"w/{name}/{n % 5}", f"{n:09}".encode() * 20_000)
    print(n, flush=True)
"""

EVENT_WRITER = """
import sys
from pathlib import Path
from tearsheet.engines.events.jsonl import JsonlEvents
log, name = JsonlEvents(Path(sys.argv[1])), sys.argv[2]
for n in range(0, 3_000_000, 3):
    log.publish("t", [(name, {"n": n + i, "pad": "x" * 5_000}) for i in range(3)])
    print(n + 2, flush=True)
"""

EVENT_READER = """
import sys
from pathlib import Path
from tearsheet.engines.events.jsonl import JsonlEvents
log = JsonlEvents(Path(sys.argv[1]))
while True:
    batch = log.poll("t", "g", 5, 1)
    log.commit("g", batch)
    for event in batch:
        print(event.value["n"], flush=True)
"""


def run_and_kill(script: str, folder: Path, name: str, after: int) -> list[int]:
    """Run a script until it has confirmed `after` numbers, kill it wherever it is then, and return what it confirmed."""
    process = subprocess.Popen([sys.executable, "-c", script, str(folder), name], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    with process, process.stdout:
        try:
            confirmed = [int(process.stdout.readline()) for _ in range(after)]
            time.sleep(random.random() * 0.02)
        finally:
            process.kill()
        confirmed += [int(line) for line in process.stdout if line.endswith("\n")]
    assert process.returncode == -signal.SIGKILL
    return confirmed


def test_a_killed_writer_leaves_whole_blobs_and_all_that_it_confirmed(tmp_path):
    for turn in range(4):
        confirmed = run_and_kill(BLOB_WRITER, tmp_path, str(turn), after=3 + turn)
        blobs = FolderBlobs(tmp_path)
        found = {}
        for info in blobs.list(f"w/{turn}/*"):
            body = blobs.get(info.key)
            assert body == body[:9] * 20_000
            found[int(info.key[-1])] = int(body[:9])
        for n in confirmed[-5:]:
            assert found[n % 5] >= n


def test_a_killed_writer_leaves_a_log_that_others_go_on_with(tmp_path):
    for turn in range(4):
        name = f"w{turn}"
        confirmed = run_and_kill(EVENT_WRITER, tmp_path, name, after=3 + turn)
        log = JsonlEvents(tmp_path)
        log.publish("t", [("end", {"turn": turn})])
        assert log.latest("t")["end"] == {"turn": turn}
        log.commit("g", batch := log.poll("t", "g", 1_000_000))
        numbers = [event.value["n"] for event in batch if event.key == name]
        assert numbers == list(range(len(numbers)))
        assert numbers[-1] >= confirmed[-1]
        log.close()


def test_several_writers_at_once_lose_nothing(tmp_path):
    results: dict[str, list[int]] = {}

    def write(name: str) -> None:
        results[name] = run_and_kill(EVENT_WRITER, tmp_path, name, after=15)

    threads = [threading.Thread(target=write, args=(f"w{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = JsonlEvents(tmp_path)
    seen: dict[str, list[int]] = {}
    for event in log.poll("t", "g", 1_000_000):
        seen.setdefault(event.key, []).append(event.value["n"])
    for name, confirmed in results.items():
        assert seen[name] == list(range(len(seen[name])))
        assert seen[name][-1] >= confirmed[-1]
    log.close()


def test_a_killed_reader_frees_its_group_and_none_is_skipped(tmp_path):
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": n}) for n in range(3_000)])
    seen: list[int] = []
    for turn in range(3):
        seen += run_and_kill(EVENT_READER, tmp_path, "g", after=20 + turn)
    while batch := log.poll("t", "g", 500):
        log.commit("g", batch)
        seen += [event.value["n"] for event in batch]
    log.close()
    # A kill between commit and print swallows at most one batch of what the reader itself would have done.
    assert len(set(range(3_000)) - set(seen)) <= 3 * 5
    assert seen[-1] == 2_999


def test_a_torn_last_line_is_ignored_and_cut_off(tmp_path):
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": 1})])
    path = tmp_path / "t" / "events.jsonl"
    with path.open("ab") as file:
        file.write(b'{"key":"k","value":{"n"' + b"\x00" * 100_000)
    assert [event.value["n"] for event in log.poll("t", "g", 10)] == [1]
    log.publish("t", [("k", {"n": 2})])
    assert [event.value["n"] for event in log.poll("t", "g", 10)] == [1, 2]
    assert b"\x00" not in path.read_bytes()
    log.close()


def test_a_line_that_is_no_event_does_not_stop_the_log(tmp_path):
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": 1})])
    with (tmp_path / "t" / "events.jsonl").open("ab") as file:
        file.write(b"written by hand\n")
    log.publish("t", [("k", {"n": 2})])
    assert [event.value["n"] for event in log.poll("t", "g", 10)] == [1, 2]
    log.close()


def test_a_log_that_was_cut_short_shows_its_new_lines(tmp_path):
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": n}) for n in range(10)])
    log.commit("g", log.poll("t", "g", 10))
    os.truncate(tmp_path / "t" / "events.jsonl", 0)
    assert log.poll("t", "g", 10) == []
    log.close()
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": 11})])
    assert [event.value["n"] for event in log.poll("t", "g", 10)] == [11]
    log.close()


def test_a_full_disk_adds_nothing_and_says_so(tmp_path, monkeypatch):
    log = JsonlEvents(tmp_path)
    log.publish("t", [("k", {"n": 1})])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(StorageError, match="No space left"):
        patch.setattr(os, "fsync", full)
        log.publish("t", [("k", {"n": 2})])
    log.publish("t", [("k", {"n": 3})])
    assert [event.value["n"] for event in log.poll("t", "g", 10)] == [1, 3]
    blobs = FolderBlobs(tmp_path / "blobs")
    blobs.put("a", b"old")
    with monkeypatch.context() as patch, pytest.raises(StorageError, match="No space left"):
        patch.setattr(os, "fsync", full)
        blobs.put("a", b"new")
    assert blobs.get("a") == b"old"
    assert list((tmp_path / "blobs" / ".aside").iterdir()) == []
    log.close()


def test_a_link_that_leads_out_of_the_store_is_refused(tmp_path):
    (tmp_path / "secret").write_text("x")
    blobs = FolderBlobs(tmp_path / "blobs")
    blobs.make()
    (tmp_path / "blobs" / "link").symlink_to(tmp_path)
    (tmp_path / "blobs" / "file").symlink_to(tmp_path / "secret")
    for key in ("link/secret", "file"):
        with pytest.raises(Exception, match="leads out"):
            blobs.get(key)
        with pytest.raises(Exception, match="leads out"):
            blobs.put(key, b"x")
    assert list(blobs.list()) == []
    assert (tmp_path / "secret").read_text() == "x"

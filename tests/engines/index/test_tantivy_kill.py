"""The embedded index under kill -9, a full disk, damage, and several processes."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.engines.index.tantivy_words import rebuild_words
from tearsheet.errors import BusyError, EngineError, StorageError
from tearsheet.query import parse_query
from tests.support.index_stories import story
from tests.support.paths import ROOT

EVERYTHING = parse_query("*")

WRITER = """
import sys
from pathlib import Path
from tearsheet.engines.index import tantivy as index_tantivy
from tests.support.index_stories import story
index_tantivy.COMMIT_STORIES = 40
index = index_tantivy.TantivyIndex(Path(sys.argv[1]), commit_seconds=0.05)
n = int(sys.argv[2])
while True:
    batch = [story(str(n + i), f"title {n + i}", f"word{n + i} common " + "filler text " * 50) for i in range(10)]
    assert all(result.status in ("created", "own") for result in index.add(batch))
    n += 10
    print(n, flush=True)
"""


def run_and_kill(folder: Path, start: int, after: int, source: random.Random) -> int:
    """Write until `after` batches are acknowledged, kill it wherever it is then, and return what it had acknowledged."""
    command = [sys.executable, "-c", WRITER, str(folder), str(start)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout
    with process.stdout:
        acknowledged = [int(process.stdout.readline()) for _ in range(after)]
        timer = threading.Timer(source.random() * 0.1, os.kill, (process.pid, signal.SIGKILL))
        timer.start()
        acknowledged += [int(line) for line in process.stdout if line.endswith("\n")]
    timer.join()
    process.wait()
    return acknowledged[-1]


def check(index: TantivyIndex, acknowledged: int) -> int:
    """Everything that was acknowledged is there, once; returns how many stories there are."""
    index.add([])
    index.refresh()
    total = index.count(EVERYTHING)
    assert total >= acknowledged
    assert index.count(parse_query("common")) == total
    ids = [story(str(n)).id for n in range(total)]
    assert None not in index.get(ids)
    seen, token = [], None
    while True:
        page = index.search(EVERYTHING, limit=500, token=token, text=False)
        seen += [one.id for one in page.stories]
        token = page.next_token
        if token is None:
            break
    assert sorted(seen) == sorted(ids)
    last = max(0, acknowledged - 1)
    assert [one.article_title for one in index.search(parse_query(f"word{last}")).stories] == [f"title {last}"]
    return total


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(tmp_path, kills):
    source = random.Random(7)
    total = 0
    for _ in range(kills):
        acknowledged = run_and_kill(tmp_path, total, source.randint(1, 12), source)
        index = TantivyIndex(tmp_path)
        total = check(index, acknowledged)
        index.close()


def test_a_commit_that_outlived_its_note_does_no_harm(tmp_path):
    index = TantivyIndex(tmp_path)
    index.add([story(str(n), text="common") for n in range(5)])
    index._store.set_indexed = lambda docno: None  # type: ignore[method-assign]  # killed before the note
    index.refresh()
    index._writer = None
    index = TantivyIndex(tmp_path)
    index.add([story("5", text="common")])
    index.refresh()
    assert index.count(parse_query("common")) == 6
    index.close()


def test_one_process_writes_and_others_read(tmp_path):
    writer, other = TantivyIndex(tmp_path), TantivyIndex(tmp_path)
    writer.add([story("a", text="one")])
    writer.refresh()
    with pytest.raises(BusyError, match="another process"):
        other.add([story("b")])
    other.refresh()
    assert other.count(parse_query("one")) == 1
    writer.close()
    assert other.add([story("b")])[0].status == "created"
    other.close()


def test_stories_become_visible_by_themselves(tmp_path):
    index = TantivyIndex(tmp_path, commit_seconds=0.05)
    index.add([story("a", text="one")])
    timer = index._timer
    assert timer is not None
    timer.join()
    index._reader._reloaded = 0.0
    assert index.count(parse_query("one")) == 1
    index.close()


# ------------------------------------------------------------------------------------------------------ full disk

FULL_DISK = """
import resource, sys
from pathlib import Path
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.errors import StorageError
from tearsheet.query import parse_query
from tests.support.index_stories import story
index = TantivyIndex(Path(sys.argv[1]), commit_seconds=60)
reader = TantivyIndex(Path(sys.argv[1]))
texts = [" ".join(f"w{n}x{i}" for i in range(300)) for n in range(1500)]
index.add([story(str(n), text="common " + texts[n]) for n in range(200)])
index.refresh()
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
acknowledged = 200
try:
    for n in range(200, 1500, 100):
        index.add([story(str(m), text="common " + texts[m]) for m in range(n, n + 100)])
        acknowledged = n + 100
        index.refresh()
except StorageError as error:
    assert "disk" in str(error), error
else:
    raise SystemExit("the disk was never full")
reader.refresh()
assert 200 <= reader.count(parse_query("common")) <= 1500
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
index.add([story("after", text="common")])
index.refresh()
count = index.count(parse_query("common"))
ids = [story(str(m)).id for m in range(acknowledged)] + [story("after").id]
assert None not in index.get(ids)
assert count >= len(ids), (count, len(ids))
index.close()
print(acknowledged, count)
"""


@pytest.mark.parametrize("limit", [300_000, 1_000_000])
def test_a_full_disk_stops_the_writer_with_a_word_and_leaves_readers_alone(tmp_path, limit):
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=100)
    assert done.returncode == 0, done.stderr + done.stdout
    index = TantivyIndex(tmp_path)
    assert index.count(parse_query("common")) == int(done.stdout.split()[1])
    index.close()
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


# ------------------------------------------------------------------------------------------------------ rebuilding


def fill(folder: Path, count: int = 30) -> None:
    index = TantivyIndex(folder)
    index.add([story(str(n), text=f"word{n} common") for n in range(count)])
    index.close()


def test_words_are_made_anew_while_readers_go_on(tmp_path):
    fill(tmp_path)
    reader = TantivyIndex(tmp_path)
    assert rebuild_words(tmp_path) == 30
    assert reader.count(parse_query("common")) == 30
    reader.refresh()
    assert reader.count(parse_query("word7")) == 1
    assert reader.add([story("new", text="common")])[0].status == "created"
    reader.refresh()
    assert reader.count(parse_query("common")) == 31
    reader.close()


def test_damaged_words_are_mended(tmp_path):
    fill(tmp_path)
    (tmp_path / "words" / "meta.json").write_text("{ nonsense")
    with pytest.raises(EngineError, match="tearsheet index rebuild"):
        TantivyIndex(tmp_path)
    assert rebuild_words(tmp_path) == 30
    index = TantivyIndex(tmp_path)
    assert index.count(parse_query("common")) == 30
    index.close()


def test_words_that_are_gone_come_back_with_the_next_writer(tmp_path):
    fill(tmp_path)
    shutil.rmtree(tmp_path / "words")
    index = TantivyIndex(tmp_path)
    index.add([])
    index.refresh()
    assert index.count(parse_query("common")) == 30
    index.close()


def test_nobody_rebuilds_while_another_writes(tmp_path):
    index = TantivyIndex(tmp_path)
    index.add([story("a")])
    with pytest.raises(BusyError):
        rebuild_words(tmp_path)
    index.close()


def test_a_folder_that_cannot_be_made_is_an_error_for_people(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be made"):
        TantivyIndex(tmp_path / "file" / "index")

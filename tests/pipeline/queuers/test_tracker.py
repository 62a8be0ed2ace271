from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tearsheet.errors import StorageError
from tearsheet.pipeline.queuers.bookmark import Mark
from tearsheet.pipeline.queuers.tracker import State, Tracker, tracked_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("s3://bucket/a/b.csv.gz", "b.csv"), ("/data/b.csv", "b.csv"), ("b.csv.gzip", "b.csv"), ("https://h/x/b.csv", "b.csv"),
        ("a/b/", "b"),
    ],
)  # fmt: skip
def test_a_file_is_known_by_its_base_name(path, name):
    assert tracked_name(path) == name


def test_a_file_is_taken_once_and_finished_for_ever(tmp_path):
    one, other = Tracker(tmp_path / "t.db"), Tracker(tmp_path / "t.db")
    assert one.take("x/a.csv.gz")
    assert not other.take("y/a.csv")
    assert other.state("a.csv") is State.STARTED
    one.finish("x/a.csv.gz")
    assert not other.take("a.csv") and other.is_finished("a.csv")
    assert other.take("a.csv", force=True)
    other.give_back("a.csv")
    assert one.state("a.csv") is State.NOT_STARTED
    one.close()
    again = Tracker(tmp_path / "t.db")
    assert again.take("a.csv")
    again.close()
    assert other.take("a.csv"), "what was taken and not finished comes back with the end of its queuer"
    other.close()


def test_what_a_killed_queuer_had_taken_comes_back(tmp_path):
    script = (
        "import sys; from pathlib import Path; from tearsheet.pipeline.queuers.tracker import Tracker\n"
        f"t = Tracker(Path({str(tmp_path / 't.db')!r})); t.take('a.csv'); t.take('b.csv'); t.finish('b.csv')\n"
        "print('taken', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "taken\n"
        tracker = Tracker(tmp_path / "t.db")
        assert not tracker.take("a.csv")
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
    assert tracker.take("a.csv")
    assert not tracker.take("b.csv")
    assert len(list((tmp_path / "t.db-holders").iterdir())) == 1, "the dead one's lock is swept away"
    tracker.close()


def _take_all(path: Path, names: list[str], start, taken) -> None:
    tracker = Tracker(path)
    start.wait()
    mine = [name for name in names if tracker.take(name)]
    for name in mine:
        tracker.finish(name)
    taken.put(mine)
    tracker.close()


def test_two_queuers_never_take_the_same_file(tmp_path):
    context = multiprocessing.get_context("spawn")
    start, taken = context.Barrier(3), context.Queue()
    names = [f"{n}.csv" for n in range(60)]
    workers = [context.Process(target=_take_all, args=(tmp_path / "t.db", names, start, taken)) for _ in range(3)]
    for worker in workers:
        worker.start()
    lists = [taken.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(name for mine in lists for name in mine) == sorted(names)


def test_threads_of_one_process_may_use_one_tracker(tmp_path):
    tracker = Tracker(tmp_path / "t.db")
    answers: list[bool] = []
    threads = [threading.Thread(target=lambda: answers.append(tracker.take("a.csv"))) for _ in range(2)]
    for thread in threads:
        thread.start()
        thread.join()
    assert sorted(answers) == [False, True]
    tracker.close()


def test_a_tracker_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "t.db").write_bytes(b"this is no database, and never was one" * 40)
    with pytest.raises(StorageError, match="the tracker"):
        Tracker(tmp_path / "t.db")


def test_a_mark_lasts_until_its_file_is_finished(tmp_path):
    one = Tracker(tmp_path / "t.db")
    one.take("a.csv")
    one.keep_mark("x/a.csv.gz", Mark(250, "d1"))
    one.keep_mark("x/a.csv.gz", Mark(500, "d2"))
    one.close()
    other = Tracker(tmp_path / "t.db")
    assert other.take("a.csv") and other.mark("a.csv") == Mark(500, "d2")
    other.finish("a.csv")
    assert other.mark("a.csv") is None
    assert other.take("a.csv", force=True) and other.mark("a.csv") is None
    other.close()


def test_a_file_that_has_another_size_than_the_finished_one_is_noticed(tmp_path):
    tracker = Tracker(tmp_path / "t.db")
    assert not tracker.was_another("a.csv", 7), "it is new"
    tracker.take("x/a.csv")
    tracker.finish("x/a.csv", 100)
    assert not tracker.was_another("x/a.csv", 100) and not tracker.was_another("y/a.csv", 100)
    assert tracker.was_another("x/a.csv", 120) and tracker.was_another("y/a.csv", 7)
    assert not tracker.was_another("x/a.csv.gz", 50), "packed, it may be the same"
    assert not tracker.was_another("https://h.example/a.csv", None)
    tracker.take("b.csv")
    tracker.finish("b.csv")
    assert not tracker.was_another("b.csv", 7), "an earlier version did not note sizes"
    tracker.close()

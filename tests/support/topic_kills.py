"""A topic in processes of its own, killed again and again."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from tearsheet.engines.database import open_database
from tearsheet.topics.model import MAX_STORIES
from tearsheet.topics.snapshot.store import list_snapshots, load_snapshot
from tearsheet.topics.store import find_topic
from tests.support.simulated_web import SimulatedWeb
from tests.support.simulated_web_server import served_web
from tests.support.topic_runs import check_kept, check_snapshot, prepare

DATABASE, BROKER = "t.db", "queues.db"


def start(
    folder: Path, port: int, *words: str, database: str = DATABASE, broker: str = BROKER
) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.support.run_topic_until_killed",
            str(folder),
            str(port),
            database,
            broker,
            *words,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert child.stdout is not None
    return child


def finish(child: subprocess.Popen[str]) -> str:
    said, _ = child.communicate(timeout=1200)
    assert child.returncode == 0, said[-3000:]
    return said


def _start_together(folder: Path, port: int, workers: int) -> list[subprocess.Popen[str]]:
    """One process that runs the topic, and others that help it."""
    children = []
    for number in range(workers):
        child = start(folder, port, *(["join"] if number else []))
        assert child.stdout is not None and child.stdout.readline() == "ready\n"
        children.append(child)
    return children


def spider_with_kills(
    folder: Path, make: dict[str, int], kills: int, *, workers: int = 1, max_stories: int = MAX_STORIES
) -> str:
    """Run it in so many processes, all of them killed so often; the digest of its snapshot."""
    folder.mkdir()
    web = SimulatedWeb(**make)
    database = open_database(DATABASE, folder)
    database.migrate()
    prepare(database, web, max_stories=max_stories)
    rng = random.Random(kills)
    killed = 0
    with served_web(web) as server:
        while killed < kills and find_topic(database, "Zanzibar").state != "completed":
            children = _start_together(folder, server.port, workers)
            [child, *_] = children
            until, most = time.monotonic() + rng.uniform(0.3, 3.0), len(server.requests) + rng.randrange(1, 25)
            while child.poll() is None and time.monotonic() < until and len(server.requests) < most:
                time.sleep(0.01)
            ended = child.poll() is not None
            for one in children:
                one.kill()
                one.communicate()
            if ended:
                break
            killed += 1
        assert killed >= min(kills, 3), f"only {killed} kills before the end: the run is too short to be killed"
        if find_topic(database, "Zanzibar").state != "completed":
            for child in _start_together(folder, server.port, workers):
                said = finish(child)
                assert "completed" in said, said[-3000:]
    topic = find_topic(database, "Zanzibar")
    check_snapshot(web, load_snapshot(database, topic), folder / "export", max_stories)
    assert check_kept(database, folder / "archive", topic)
    [snapshot] = list_snapshots(database, topic.id)
    database.close()
    return snapshot.digest

"""What is known of hosts survives in the database."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tearsheet.engines.database import open_database
from tearsheet.fetch import HostStore
from tearsheet.fetch.manners import HostState
from tearsheet.fetch.robots import STALE_SECONDS, RobotsText
from tests.support.databases import DATABASES

NOW = 1_700_000_000.0


@pytest.fixture(params=DATABASES)
def store(request, tmp_path) -> Iterator[HostStore]:
    harness = request.param()
    harness.prepare(tmp_path)
    database = harness.open()
    database.migrate()
    yield HostStore(database)
    database.close()
    harness.remove()


def save(store, states):
    store.change(states, lambda kept: kept.update(states))


def test_states_are_kept_as_they_are(store):
    states = {
        "a.example": HostState(1.5, NOW + 0.25, NOW + 2, 30.0, 3, NOW + 4, 5.0, NOW),
        "b.example": HostState(updated=NOW),
    }
    save(store, states)
    assert store.load() == states
    save(store, {"b.example": HostState(average=9, updated=NOW + 1)})
    assert store.load()["b.example"].average == 9


def test_a_change_sees_what_is_there_and_is_undone_when_it_fails(store):
    save(store, {"a.example": HostState(failures=1)})

    def fail(states):
        assert states == {"a.example": HostState(failures=1), "new.example": HostState()}
        states["a.example"] = HostState(failures=2)
        raise ValueError

    with pytest.raises(ValueError):
        store.change({"a.example", "new.example"}, fail)
    assert store.load()["a.example"].failures == 1


def test_a_host_that_was_forgotten_in_the_meantime_is_there_again(store):
    save(store, {"a.example": HostState(failures=1)})
    store.forget(NOW)
    assert store.load() == {}
    save(store, {"a.example": HostState(failures=2)})
    assert store.load()["a.example"].failures == 2


def test_changes_of_one_host_come_one_after_the_other(store):
    """From threads with connections of their own, as from processes: no count is lost, whatever the order of the names."""
    others = [HostStore(store._database) for _ in range(4)]
    names = [f"{number}.example" for number in range(6)]

    def count(states):
        for host, state in states.items():
            states[host] = replace(state, failures=state.failures + 1)

    def work(number):
        for turn in range(25):
            others[number].change(names[(number + turn) % 3 :], count)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(store.load()[host].failures == 100 for host in names[2:])


def test_hosts_at_rest_are_forgotten(store):
    save(store, {
        "old.example": HostState(updated=NOW - 10),
        "blocked.example": HostState(updated=NOW - 10, blocked_until=NOW + 10),
        "down.example": HostState(updated=NOW - 10, failed_until=NOW + 10),
        "new.example": HostState(updated=NOW + 1),
    })  # fmt: skip
    store.save_robots("http://old.example", RobotsText("x", NOW - STALE_SECONDS - 1))
    store.save_robots("http://new.example", RobotsText("y", NOW))
    store.forget(NOW)
    assert set(store.load()) == {"blocked.example", "down.example", "new.example"}
    assert store.load_robots("http://old.example") is None
    assert store.load_robots("http://new.example") == RobotsText("y", NOW)


def test_robots_texts(store):
    for text in ("", "User-agent: *\nDisallow: /ü" * 20_000):
        store.save_robots("https://a.example:8443", RobotsText(text, NOW))
        assert store.load_robots("https://a.example:8443") == RobotsText(text, NOW)


WRITER = """
import sys
from pathlib import Path
from tearsheet.engines.database import open_database
from tearsheet.fetch import HostStore
from tearsheet.fetch.manners import HostState
store = HostStore(open_database("t.db", Path(sys.argv[1])))
for number in range(1_000_000):
    states = {f"{n}.example": HostState(failures=number, updated=1.0) for n in range(20)}
    store.change(states, lambda kept: kept.update(states))
    print(number, flush=True)
"""


def test_what_was_saved_survives_a_kill(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(10)]
    finally:
        writer.kill()
        writer.wait()
    lines += writer.stdout.readlines()
    writer.stdout.close()
    last = int([line for line in lines if line.endswith("\n")][-1])
    states = HostStore(database).load()
    assert len(states) == 20
    assert len({state.failures for state in states.values()}) == 1, "all of a save or nothing"
    assert states["0.example"].failures >= last
    database.close()

"""`tearsheet queues dump-archives` and `load-archives`, as an operator calls them."""

from __future__ import annotations

import json

from tests.support.flavour_runs import configure
from tests.support.tearsheet_command import in_process


def test_queues_are_dumped_and_loaded(tmp_path):
    data = tmp_path / "data"
    configure(data, "")
    (tmp_path / "list.csv").write_text("".join(f"http://h{n % 3}.example/{n}\n" for n in range(30)))
    assert in_process("pipeline", "run", "csv", "--queue-only", tmp_path / "list.csv", data=data).exit_code == 0

    def queues() -> dict[str, int]:
        shown = json.loads(in_process("queues", "list", "--json", data=data).stdout)
        return {row["queue"]: row["ready"] for row in shown}

    dumped = json.loads(in_process("queues", "dump-archives", "--json", data=data).stdout)
    assert [(row["queue"], row["stories"], len(row["files"])) for row in dumped] == [("csv.fetcher-in", 30, 1)]
    assert queues() == {"csv.fetcher-in": 0}
    words = ("queues", "load-archives", data / "queue-dumps", "--exclude-domain", "h1.example", "--json")
    assert json.loads(in_process(*words, "--dry-run", data=data).stdout) == [{"queue": "csv.fetcher-in", "stories": 20}]
    assert queues() == {"csv.fetcher-in": 0}
    assert json.loads(in_process(*words, data=data).stdout) == [{"queue": "csv.fetcher-in", "stories": 20}]
    assert queues() == {"csv.fetcher-in": 20}
    missing = in_process("queues", "dump-archives", "no-such-queue", data=data)
    assert (missing.exit_code, "there is no queue 'no-such-queue'" in missing.stderr) == (5, True)

"""`tearsheet queues dump-archives` and `load-archives`, as an operator calls them."""

from __future__ import annotations

import json

from .flavours import configure, run_flavour
from .tearsheet_command import tearsheet


def test_queues_are_dumped_and_loaded(tmp_path):
    data = tmp_path / "data"
    configure(data, "")
    (tmp_path / "list.csv").write_text("".join(f"http://h{n % 3}.example/{n}\n" for n in range(30)))
    run_flavour(data, "csv", "--queue-only", tmp_path / "list.csv")

    def queues() -> dict[str, int]:
        shown = json.loads(tearsheet("queues", "list", "--json", data=data).stdout)
        return {row["queue"]: row["ready"] for row in shown}

    dumped = json.loads(tearsheet("queues", "dump-archives", "--json", data=data).stdout)
    assert [(row["queue"], row["stories"], len(row["files"])) for row in dumped] == [("csv.fetcher-in", 30, 1)]
    assert queues() == {"csv.fetcher-in": 0}
    words = ("queues", "load-archives", data / "queue-dumps", "--exclude-domain", "h1.example", "--json")
    assert json.loads(tearsheet(*words, "--dry-run", data=data).stdout) == [{"queue": "csv.fetcher-in", "stories": 20}]
    assert queues() == {"csv.fetcher-in": 0}
    assert json.loads(tearsheet(*words, data=data).stdout) == [{"queue": "csv.fetcher-in", "stories": 20}]
    assert queues() == {"csv.fetcher-in": 20}
    missing = tearsheet("queues", "dump-archives", "no-such-queue", data=data)
    assert (missing.returncode, "there is no queue 'no-such-queue'" in missing.stderr) == (5, True)

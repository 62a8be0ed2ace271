"""The log of what agents saw: private, bounded, and whole however many processes write to it."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from tearsheet.agents.audit import AuditLog, Seen
from tearsheet.errors import StorageError

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def seen(number: int = 0, **arguments: object) -> Seen:
    return Seen(NOW, "laura", "agent\x1b[31m", "read_story", arguments, "answered", [f"{number:064}"], 100)


def lines(path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_only_its_owner_can_read_it(tmp_path):
    log = AuditLog(tmp_path, 10_000)
    log.write(seen())
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    assert lines(log.path)[0]["time"] == "2026-11-15T12:00:00.000+00:00"


def test_arguments_are_cleaned_masked_and_cut(tmp_path):
    log = AuditLog(tmp_path, 100_000)
    log.write(
        seen(address="https://bob:hunter22@a.example/?api_key=geheim", query="x" * 5_000, more=["\u202eevil"] * 200)
    )
    [line] = lines(log.path)
    assert line["arguments"]["address"] == "https://a.example/?api_key=***"  # type: ignore[index]
    assert len(line["arguments"]["query"]) == 500 and len(line["arguments"]["more"]) == 50  # type: ignore[index]
    assert "\x1b" not in log.path.read_text("utf-8") and "\u202e" not in log.path.read_text("utf-8")


def test_it_is_begun_anew_before_it_grows_too_large(tmp_path):
    log = AuditLog(tmp_path, 2_000)
    for number in range(50):
        log.write(seen(number))
    files = [log.path, tmp_path / "mcp-audit.jsonl.1"]
    assert {file.name for file in tmp_path.iterdir()} == {
        "mcp-audit.jsonl",
        "mcp-audit.jsonl.1",
        "mcp-audit.jsonl.lock",
    }
    assert all(file.stat().st_size <= 2_000 for file in files)
    last = [line["stories"] for line in [*lines(files[1]), *lines(files[0])]]
    assert last == [[f"{number:064}"] for number in range(50 - len(last), 50)]


def test_many_writers_lose_no_line_and_break_none(tmp_path):
    logs = [AuditLog(tmp_path, 1_000_000) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: logs[number % 4].write(seen(number)), range(200)))
    assert sorted(line["stories"][0] for line in lines(logs[0].path)) == [f"{number:064}" for number in range(200)]  # type: ignore[index]


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "mcp-audit.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="cannot write"):
        AuditLog(tmp_path, 10_000).write(seen())

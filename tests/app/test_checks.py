"""What the doctor finds: all well, a full disk, an engine that is away, a port that somebody has."""

from __future__ import annotations

import shutil
import socket
from collections import namedtuple
from dataclasses import replace

from tearsheet.app.checks import Check, examine
from tearsheet.app.services import Services
from tearsheet.settings import Settings

Usage = namedtuple("Usage", "total used free")


def checks(settings: Settings) -> dict[str, Check]:
    with Services(settings) as services:
        return {check.name: check for check in examine(services)}


def test_a_fresh_folder_is_well(tmp_path):
    found = checks(Settings(tmp_path / "new"))
    assert list(found) == ["data folder", "disk", "clock", "database", "broker", "index", "port 8700"]
    assert all(check.ok for check in found.values())
    assert found["broker"].found == "0 stories queued"


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 2**40, 5_000_000))
    disk = checks(Settings(tmp_path))["disk"]
    assert (disk.ok, disk.found) == (False, "only 5 MB free: make room before you collect")


def test_an_engine_that_is_away_does_not_hide_the_others(tmp_path):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        plain = Settings(tmp_path)
        url = f"opensearch://127.0.0.1:{taken.getsockname()[1]}"
        found = checks(replace(plain, engines=replace(plain.engines, index=url, patience_seconds=0.2)))
    assert not found["index"].ok
    assert found["database"].ok and found["broker"].ok


def test_a_port_that_answers_is_told_and_is_no_error(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        plain = Settings(tmp_path)
        found = checks(replace(plain, web=replace(plain.web, port=port)))[f"port {port}"]
    assert found.ok and "a server is running there" in found.found

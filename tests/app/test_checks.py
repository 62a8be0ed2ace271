"""What the doctor finds: all well, a full disk, an engine that is away, a port that somebody has."""

from __future__ import annotations

import re
import shutil
import socket
import sys
from collections import namedtuple
from dataclasses import replace

from tearsheet.app.checks import Check, examine
from tearsheet.app.services import Services
from tearsheet.settings import Settings, load_settings

PAGES = "pages are read without network and files"
Usage = namedtuple("Usage", "total used free")


def checks(settings: Settings) -> dict[str, Check]:
    with Services(settings) as services:
        return {check.name: check for check in examine(services)}


def test_a_fresh_folder_is_well(tmp_path):
    found = checks(Settings(tmp_path / "new"))
    engines, stores = ["database", "broker", "index", "archive"], ["engines.blobs", "engines.events", "archive.folder"]
    last = ["erasures", PAGES, "telemetry", "port 8700"]
    assert list(found) == ["data folder", "rights", "disk", "clock", *engines, *stores, *last]
    assert all(check.ok for check in found.values())
    assert found["database"].found == f"{tmp_path}/new/tearsheet.db, written and read"
    assert found["broker"].found == f"{tmp_path}/new/queues.db, written and read, 0 stories queued"
    assert found["index"].found == f"{tmp_path}/new/index, 0 stories"
    assert re.fullmatch(r"(yes|in part) \(resource limits.*\).*", found[PAGES].found)


def test_a_folder_that_others_can_read_is_told_with_the_line_to_type(tmp_path):
    def rights(mode: int, *, secret: bool = False, group_reads: bool = False) -> tuple[str, str]:
        folder = tmp_path / "a folder"
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text('[topics]\nfacebook_token = "x"\n' if secret else "")
        (folder / "config.toml").chmod(0o644)
        folder.chmod(mode)
        settings = load_settings(folder, {"storage.group_reads": group_reads}, {})
        found = checks(settings)["rights"]
        assert found.ok and folder.stat().st_mode & 0o777 == mode, "nothing is changed"
        return found.found, found.advice

    others, change = "other users of this machine can read", f"chmod -R go= '{tmp_path}/a folder'"
    assert rights(0o755) == (f"{others} the data folder", change)
    assert rights(0o755, secret=True) == (f"{others} the secrets in config.toml", change)
    assert rights(0o700, secret=True) == ("only you", "")
    assert rights(0o750, group_reads=True) == ("you and your group", "")
    assert rights(0o755, group_reads=True)[1] == change.replace("go=", "o=")


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 2**40, 5_000_000))
    disk = checks(Settings(tmp_path))["disk"]
    told = "and storage.min_free_bytes is 1,000 MB: make room, or lower this setting"
    assert (disk.ok, disk.found) == (False, f"only 5 MB are free at {tmp_path}, {told}")


def test_processes_that_cannot_start_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    pages = checks(Settings(tmp_path))[PAGES]
    assert (pages.ok, pages.found) == (False, "cannot start a process to read pages in: No such file or directory")


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

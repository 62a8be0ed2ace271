"""A child process tries to get out: to files, to the network, to other processes. Each is refused, and the pool goes on."""

from __future__ import annotations

import asyncio
import os
import platform
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tearsheet.work import landlock, seccomp
from tearsheet.work.confine import Confinement, Limits, environment_of_child
from tearsheet.work.pool import ProcessPool
from tests.support.prober import BUILDER

FILTERED = seccomp.supported(platform.machine())
needs_landlock = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")
needs_seccomp = pytest.mark.skipif(not FILTERED, reason="there is no seccomp filter for this machine")


def with_pool(scenario: Callable[[ProcessPool], Awaitable[None]], builder: str = BUILDER) -> None:
    async def main() -> None:
        pool = ProcessPool(builder, (), 1, 20.0)
        try:
            await scenario(pool)
        finally:
            await pool.close()

    asyncio.run(main())


def said(*orders: str) -> list[str]:
    """What one child answers to each order."""
    answers: list[str] = []

    async def scenario(pool: ProcessPool) -> None:
        answers.extend([(await pool.run(order.encode())).decode() for order in orders])

    with_pool(scenario)
    return answers


async def child_of(pool: ProcessPool) -> Path:
    """What the kernel tells about its only process."""
    return Path(f"/proc/{(await pool.run(b'pid')).decode()}")


@needs_landlock
def test_files_are_neither_read_nor_listed(tmp_path):
    (tmp_path / "secret").write_text("secret")
    orders = [f"read {tmp_path}/secret", f"list {tmp_path}", "read /etc/passwd", "list /", "read /proc/self/environ"]
    assert said(*orders, "echo on") == ["refused: PermissionError"] * 5 + ["on"]


@needs_landlock
def test_a_link_to_a_file_does_not_help(tmp_path):
    (tmp_path / "link").symlink_to("/etc/passwd")
    assert (
        said(f"read {tmp_path}/link", f"read {Path(__file__).parent}/../../../../../../etc/passwd")
        == ["refused: PermissionError"] * 2
    )


@needs_seccomp
def test_nothing_is_written_deleted_or_changed(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("kept")
    kept.chmod(0o600)
    orders = [f"{verb} {kept}" for verb in ("write", "truncate", "delete", "chmod")]
    assert said(*orders, f"write {tmp_path}/new", "echo on") == ["refused: PermissionError"] * 5 + ["on"]
    assert kept.read_text() == "kept" and kept.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [kept]


@needs_seccomp
def test_nobody_is_connected_to(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as other:
        other.bind(f"{tmp_path}/socket")
        other.listen()
        orders = [f"connect {server.getsockname()[1]}", f"connect {tmp_path}/socket", "listen"]
        assert said(*orders, "echo on") == ["refused: PermissionError"] * 3 + ["on"]
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@needs_seccomp
def test_no_process_is_started_ended_or_given_more():
    orders = ["fork", "spawn", "exec", f"kill {os.getpid()}", "privileged"]
    assert said(*orders, "thread", "echo on") == ["refused: PermissionError"] * 5 + ["refused: RuntimeError", "on"]


@needs_seccomp
def test_the_limits_stay(tmp_path):
    async def scenario(pool: ProcessPool) -> None:
        assert (await pool.run(b"more-memory")).startswith(b"refused")
        limits = (await child_of(pool) / "limits").read_text()
        found = {line[:25].strip(): line[26:].split()[:2] for line in limits.splitlines()[1:]}
        assert found["Max address space"] == [str(Limits().memory)] * 2
        for name in ("Max core file size", "Max file size", "Max processes"):
            assert found[name] == ["0", "0"], name
        assert int(found["Max open files"][1]) <= 64

    with_pool(scenario)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="this system has no /proc")
def test_a_child_knows_no_secret_and_holds_no_file_of_its_parent(tmp_path, monkeypatch):
    for name in ("TEARSHEET_WEB_TOKEN", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "SOMETHING"):
        monkeypatch.setenv(name, "t0p-secret")
    held = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(held, True)

    async def scenario(pool: ProcessPool) -> None:
        process = await child_of(pool)
        assert b"t0p-secret" not in (process / "environ").read_bytes()
        assert b"OMP_NUM_THREADS=1" in (process / "environ").read_bytes()
        opened = [str(name.readlink()) for name in (process / "fd").iterdir()]
        assert not any(name.startswith(str(tmp_path)) for name in opened)
        kinds = sorted(name.partition(":")[0] for name in opened)
        assert len(kinds) == 4 and set(kinds) <= {"/dev/null", "pipe", "socket"}, kinds
        assert len(list((process / "task").iterdir())) == 1
        assert "NoNewPrivs:\t1" in (process / "status").read_text()

    try:
        with_pool(scenario)
    finally:
        os.close(held)


def test_the_environment_is_passed_on_by_name():
    ours = {"LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONPATH": "/code", "HOME": "/home/me", "PYTHONSTARTUP": "/x"}
    passed = environment_of_child(ours)
    assert {name: passed[name] for name in passed.keys() & ours.keys()} == {
        "LANG": "de_DE.UTF-8",
        "TZ": "Asia/Tokyo",
        "PYTHONPATH": "/code",
    }


def test_code_that_is_loaded_late_is_found():
    late = [
        "json.tool",
        "sqlite3",
        "zoneinfo",
        "lxml.etree",
        "numpy",
        "selectolax.lexbor",
        "tearsheet.topics.snapshot.network",
    ]
    answers = said(*(f"loaded {name}" for name in late), *(f"import {name}" for name in late))
    assert answers[: len(late)] == ["False"] * len(late)
    assert all(answer.startswith("<module") for answer in answers[len(late) :]), answers


def test_what_a_child_prints_is_not_taken_for_an_answer():
    assert said("print noise", "echo on") == ["None", "on"]


@pytest.mark.parametrize(
    "builder", ["tearsheet.work.reading:answering", "tearsheet.pipeline.parser:Parser"], ids=["reading", "parser"]
)
def test_every_reader_is_confined_as_far_as_this_system_can(builder):
    async def scenario(pool: ProcessPool) -> None:
        found = await pool.confinement()
        assert ("seccomp" in found.holds) == FILTERED
        assert (f"Landlock ABI {landlock.version()}" in found.holds) == bool(landlock.version())
        assert len(found.holds) + len(found.lacks) == 4

    with_pool(scenario, builder)


def test_a_confinement_is_told_in_words():
    assert str(Confinement(("resource limits", "seccomp"), ())) == "yes (resource limits, seccomp)"
    assert str(Confinement(("resource limits",), ("Landlock", "seccomp"))) == (
        "in part (resource limits); this system lacks Landlock, seccomp"
    )

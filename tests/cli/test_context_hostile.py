"""Every command on a data folder full of what strangers wrote: nothing of it commands a terminal, and no other user can read it."""

from __future__ import annotations

import json
import os
import pty
import re
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tearsheet.app.demo_folder import DEMO_SETTINGS
from tests.support.every_command import SERVING, WORDS, command_lines, commands
from tests.support.hostile_site import HOSTILE, hostile_site
from tests.support.tearsheet_command import as_toml, command, environment, in_process

FORBIDDEN = (
    {chr(n) for n in range(0x20)} - {"\n"} | {chr(n) for n in range(0x7F, 0xA0)} | {chr(n) for n in range(0x202A, 0x202F)}
    | {chr(n) for n in range(0x2066, 0x206A)} | set("\u061c\u200e\u200f\u2028\u2029")
)  # fmt: skip


@dataclass
class Said:
    """What one command printed."""

    words: list[str]
    code: int
    stdout: str
    stderr: str
    error: BaseException | None


@dataclass
class Done:
    """What all commands printed and left behind."""

    data: Path
    outside: Path
    said: list[Said]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    """Every command, one after the other, on one data folder."""
    data, outside = tmp_path_factory.mktemp("hostile") / "data", tmp_path_factory.mktemp("outside")
    before = os.umask(0o077)
    try:
        with hostile_site() as port:
            write_settings(data, port)
            for name, content in (
                ("page.html", HOSTILE),
                ("urls.csv", f"url\n{HOSTILE}\n"),
                ("none.warc", HOSTILE),
                ("sources.csv", f"name,homepage\n{HOSTILE},http://hostile.example\n"),
            ):
                (outside / name).write_text(content, "utf-8")
            said = [run(data, words) for words in command_lines(HOSTILE, str(outside))]
        yield Done(data, outside, said)
    finally:
        os.umask(before)


def write_settings(data: Path, port: int, **more: object) -> None:
    data.mkdir()
    quick = {"topics.retry_seconds": 0.0, "topics.max_retries": 0, "topics.poll_seconds": 0.05}
    flat = (
        DEMO_SETTINGS
        | quick
        | {
            "archive.max_seconds": 0.5,
            "fetch.connect_to": {"hostile.example": f"127.0.0.1:{port}"},
            **more,
        }
    )
    for section in sorted({name.partition(".")[0] for name in flat}):
        lines = [
            f"{name.partition('.')[2]} = {as_toml(value)}" for name, value in flat.items() if name.startswith(section)
        ]
        with (data / "config.toml").open("a", encoding="utf-8") as file:
            file.write("\n".join([f"[{section}]", *lines, ""]))


def run(data: Path, words: list[str]) -> Said:
    result = in_process(*words, data=data)
    error = result.exception if not isinstance(result.exception, SystemExit) else None
    return Said(words, result.exit_code, result.stdout_bytes.decode(), result.stderr_bytes.decode(), error)


def test_every_command_is_tested():
    assert set(WORDS) | SERVING == set(commands()), "give a new command its words in tests/support/every_command.py"


def test_the_hostile_texts_are_there_to_be_shown(done: Done):
    printed = {" ".join(said.words): said.stdout for said in done.said}
    for words in ("search *", "feeds list", "feeds stories 1", "feeds show 1", "count * --by source", "token list"):
        assert "owned" in printed[words] or "hostile.example" in printed[words], words
    assert "]0;owned" in printed["search *"] and "]0;owned" in printed["feeds stories 1"]
    assert "bold]" in printed["search *"] and "[link=" in printed["search *"], "markup is text"


def test_no_command_ends_in_a_defect(done: Done):
    assert [(said.words, said.error) for said in done.said if said.error] == []


def test_no_command_prints_what_a_terminal_would_obey(done: Done):
    for said in done.said:
        assert not FORBIDDEN & set(said.stderr), (said.words, said.stderr)
        if "--csv" not in said.words and said.words != ["sources", "export"]:
            assert not FORBIDDEN & set(said.stdout), (said.words, said.stdout)


def test_programs_get_the_texts_as_they_are(done: Done):
    printed = {" ".join(said.words): said.stdout for said in done.said}
    titles = [row["title"] for row in json.loads(printed["feeds stories 1 --json"])]
    assert any("\x1b]0;owned" in title and "\u202e" in title for title in titles)
    assert titles == [json.loads(line)["title"] for line in printed["feeds stories 1 --jsonl"].splitlines()]
    assert "\x1b]0;owned" in printed["feeds stories 1 --csv"]
    assert "'=\x1b" in printed["feeds stories 1 --csv"], "formulas are guarded"


def on_terminal(done: Done, words: list[str], environ: dict[str, str]) -> str:
    """What a terminal gets from a command."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*words, data=done.data),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(environ),
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # what Linux says when the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


@pytest.mark.parametrize(
    "words", [["search", "*"], ["--quiet", "search", "*", "--csv"], ["feeds", "stories", "1"], ["feeds", "show", "1"]]
)
def test_a_terminal_gets_our_own_styles_only(done: Done, words: list[str]):
    text = on_terminal(done, words, {"TERM": "xterm-256color", "TEARSHEET_PAGER": ""})
    assert "]0;owned" in text
    assert not (FORBIDDEN - {"\x1b", "\r"}) & set(text)
    assert all(piece[0] == "[" and piece.lstrip("[0123456789;").startswith("m") for piece in text.split("\x1b")[1:])


def test_only_addresses_of_the_web_are_links(done: Done):
    text = on_terminal(done, ["search", "*"], {"TERM": "xterm", "FORCE_HYPERLINK": "1", "TEARSHEET_PAGER": ""})
    links = re.findall("\x1b\\]8;;([^\x1b]*)\x1b\\\\", text)
    assert any(links) and all(not one or one.startswith(("http://", "https://")) for one in links)
    rest = re.sub("\x1b\\]8;;[^\x1b]*\x1b\\\\", "", text)
    assert "]0;owned" in rest and not (FORBIDDEN - {"\x1b", "\r"}) & set(rest)
    assert all(piece[0] == "[" and piece.lstrip("[0123456789;").startswith("m") for piece in rest.split("\x1b")[1:])


def modes(folder: Path) -> dict[str, int]:
    return {str(path): stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}


def test_nobody_else_can_read_what_the_commands_wrote(done: Done):
    found = modes(done.data)
    assert len(found) > 30
    assert {path: oct(mode) for path, mode in found.items() if mode & 0o077} == {}


@contextmanager
def users_mask() -> Iterator[None]:
    """What is written in the block has the rights that people give their files."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def test_what_a_user_asked_for_by_its_path_has_the_users_rights(tmp_path: Path, done: Done):
    lines = [
        "feeds export {out}/feeds.opml",
        "archive wacz * --output {out}/x.wacz",
        "archive extract http://hostile.example/1 --output {out}/x",
        "pages get http://hostile.example/p --output {out}/p",
        f"topic export {HOSTILE} {{out}}/new/topic",
        f"topic map {HOSTILE} {{out}}/m.svg",
    ]
    for line in lines:
        with users_mask():
            said = run(done.data, line.replace("{out}", str(tmp_path)).split(" "))
        assert said.code == 0, said.stderr
    found = {path: mode for path, mode in modes(tmp_path).items() if path != str(tmp_path)}
    assert len(found) > 12
    assert {path: oct(mode) for path, mode in found.items() if mode != (0o755 if Path(path).is_dir() else 0o644)} == {}
    assert {path: oct(mode) for path, mode in modes(done.data).items() if mode & 0o077} == {}


def test_the_group_may_read_if_the_settings_say_so(tmp_path: Path):
    data = tmp_path / "data"
    with hostile_site() as port:
        write_settings(data, port, **{"storage.group_reads": True})
        data.chmod(0o750)
        (data / "config.toml").chmod(0o640)
        with users_mask():
            said = run(data, ["run", "--once", "--no-web", "http://hostile.example/feed.json"])
        assert said.code == 0, said.stderr
    found = modes(data)
    assert len(found) > 15
    kept = {str(data / "index/words" / name) for name in ("meta.json", ".managed.json")}  # 0600, whatever we ask for
    others = {path: oct(mode) for path, mode in found.items() if mode != (0o750 if Path(path).is_dir() else 0o640)}
    assert set(others) <= kept and set(others.values()) <= {"0o600"}

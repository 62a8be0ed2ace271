"""Every command on a data folder that it may not write: one line says what cannot be written, and nothing ends in a defect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.every_command import FORMS, command_lines
from tests.support.full_folder import fill
from tests.support.patience import PATIENCE
from tests.support.tearsheet_command import in_process
from tests.support.without_rights import run_without_rights

WITHOUT_FOLDER = {"pipeline list", "config show", "queues purge", "queues delete", "restore"}
"""Commands whose words are answered, or refused for another reason, before anything of the folder is opened."""
WRITES = {
    "feeds add": "tearsheet.db", "feeds set": "tearsheet.db", "sources add": "tearsheet.db", "collections add": "tearsheet.db",
    "topic create": "tearsheet.db", "token create": "tearsheet.db", "ingest": "tearsheet.db", "run": "queues.db",
    "queues dump-archives": "queues.db", "queues load-archives": "queues.db", "index rebuild": "index", "search": "index",
    "pages migrate": "META",
}  # fmt: skip
"""What these cannot write when files may not be written."""


def answers(folder: Path, mode: str) -> list[tuple[str, int, list[str]]]:
    """Each command with its exit code and the lines of its errors, on a full folder with these rights."""
    data, outside = folder / "data", folder / "outside"
    for made in (data, outside):
        made.mkdir()
    fill(data)
    assert in_process("feeds", "add", "https://news.example/feed", data=data).exit_code == 0
    for name, content in (
        ("urls.csv", "url\n"),
        ("page.html", "<p>x"),
        ("none.warc", "x"),
        ("sources.csv", "name,homepage\n"),
        ("feeds.opml", "<opml/>"),
    ):
        (outside / name).write_text(content, "utf-8")
    lines = [words for words in command_lines("T", str(outside)) if not set(FORMS) & set(words)]
    try:
        subprocess.run(["chmod", "-R", mode, str(data)], check=True)
        if mode == "a-w,a+X":  # the folders alone may be written
            subprocess.run(["find", str(data), "-type", "d", "-exec", "chmod", "u+w", "{}", "+"], check=True)
        found = run_without_rights(data, lines, 10 * PATIENCE)
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", str(data)], check=True)
    return [(" ".join(words), code, said.splitlines()) for words, (code, said) in zip(lines, found, strict=True)]


def name_of(words: str) -> str:
    return max((name for name in (*WITHOUT_FOLDER, *WRITES) if words.startswith(name)), key=len, default="")


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_folder_that_cannot_be_written_is_named_by_every_command(tmp_path):
    for words, code, said in answers(tmp_path, "a-w"):
        if words == "doctor":
            assert code == 1 and any(line.startswith("wrong data folder") for line in said), said
        elif name_of(words) not in WITHOUT_FOLDER:
            assert (code, len(said)) == (16, 1), (words, said)
            assert said[0].startswith(f"tearsheet: the data folder {tmp_path / 'data'} cannot be written"), (
                words,
                said,
            )


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_a_file_that_cannot_be_written_is_named_by_every_command_that_needs_it(tmp_path):
    for words, code, said in answers(tmp_path, "a-w,a+X"):
        assert not any(line.startswith("Traceback") for line in said), (words, said)
        if words == "doctor":
            wrong = [line for line in said if line.startswith("wrong")]
            assert code == 1 and all(
                any(part in line for line in wrong) for part in ("tearsheet.db", "queues.db", "index")
            )
        elif (name := name_of(words)) in WRITES:
            assert code == 16 and "cannot" in said[-1] and WRITES[name] in said[-1], (words, code, said)
        elif code == 16:
            assert "cannot" in said[-1] and str(tmp_path / "data") in said[-1], (words, said)


@pytest.mark.proof
def test_a_folder_of_another_user_is_named_in_one_line(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "config.toml").write_text("[web]\nport = 8701\n", "utf-8")
    data.chmod(0)
    try:
        found = run_without_rights(data, [["feeds", "list"], ["run", "--once"], ["config", "show"]], PATIENCE)
    finally:
        data.chmod(0o700)
    for code, said in found:
        assert code == 4 and said.startswith(f"tearsheet: cannot read {data}") and said.count("\n") == 1

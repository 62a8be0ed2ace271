"""Every command that reads a file, given damaged files: none says that it is done, and all say where the damage is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.damaged_files import KINDS, NOT_READING, READING, spoiled
from tests.support.every_command import commands
from tests.support.tearsheet_command import in_process

_PLACE = re.compile(r"(?:line|byte|story|record) \d+|file:\d+:|file +[\d,]+ ")


CASES = [(case, how) for of_command in READING.values() for case in of_command for how in KINDS]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a topic."""
    folder: Path = tmp_path_factory.mktemp("files-read")
    assert in_process("topic", "create", "subject", "bridge", data=folder).exit_code == 0
    return folder


def test_every_command_is_in_the_table():
    assert READING.keys() | NOT_READING == commands().keys(), "say in tests/support/damaged_files.py what it reads"


@pytest.mark.parametrize(("case", "how"), CASES)
def test_a_file_that_is_not_as_it_should_be_is_told_with_its_place(case: str, how: str, data: Path, tmp_path: Path):
    kind, *words = case.split(" ")
    content = spoiled(kind, how)
    if content is None:
        pytest.skip("means nothing for such a file")
    path = tmp_path / f"{kind}{CASES.index((case, how))}-file"
    path.write_bytes(content)
    words = [word.format(path, folder=tmp_path / "pages") for word in words]
    done = in_process(*words, data=data)
    said = f"{done.stdout} {done.stderr}".replace("\n", " ")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (2, 3, 5), said
    assert path.name in said.replace(" ", "") or path.name in said, said
    assert _PLACE.search(said), said
    if words[:2] == ["pipeline", "run"]:
        again = in_process(*words, "--json", data=data)
        assert again.exit_code == done.exit_code and json.loads(again.stdout)["skipped"] == 0, "it is not finished"

"""What of a data folder was lost is told with the command that brings it back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tearsheet.app.archive_checks import check_archive, check_index, has_archived_stories
from tearsheet.errors import StorageError
from tests.support.ingested_page import ingest_page
from tests.support.moved_archive import collect, copy_of, move_away, open_moving
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services


@pytest.fixture
def data(tmp_path):
    with open_services(tmp_path) as services:
        collect(services)
        assert check_archive(services) == "1 file, all here or in a store"
        assert check_index(services) == services.index.describe()
    return tmp_path


def lose_database(data: Path) -> None:
    for file in data.glob("tearsheet.db*"):
        file.unlink()


def archive(data: Path, command: str, code: int = 0):
    result = in_process("archive", command, data=data)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_files_that_a_lost_database_knew_are_told_until_they_are_registered_again(data):
    lose_database(data)
    with (
        open_services(data) as services,
        pytest.raises(StorageError, match=r"1 file not registered in .*, as mc-"),
    ):
        check_archive(services)
    verified = archive(data, "verify", code=3)
    assert "is not registered: `tearsheet archive index` does that" in " ".join(verified.stdout.split())
    assert "1 file, 3 stories, 7 records read, 1 problem" in verified.stdout
    assert "1 file is not registered and not listed; `tearsheet archive index`" in archive(data, "list").stderr
    archive(data, "index")
    assert "0 problems" in archive(data, "verify").stdout
    assert archive(data, "list").stderr == ""
    with open_services(data) as services:
        assert check_archive(services) == "1 file, all here or in a store"


def test_a_lost_archive_folder_is_told(data):
    shutil.rmtree(data / "archive")
    with (
        open_services(data) as services,
        pytest.raises(StorageError, match="neither here nor in a store: 1 of 1 file"),
    ):
        check_archive(services)


def test_files_that_only_a_store_has_are_not_lost(tmp_path):
    with open_moving(tmp_path) as services:
        collect(services)
        move_away(services)
        assert copy_of(services).is_file()
        assert check_archive(services) == "1 file, all here or in a store"


@pytest.mark.parametrize("without_database", [False, True])
def test_a_lost_index_is_told_with_how_to_rebuild_it(data, without_database):
    shutil.rmtree(data / "index")
    if without_database:
        lose_database(data)
    with open_services(data) as services, pytest.raises(StorageError, match=r"empty, .* `tearsheet index rebuild`"):
        check_index(services)
    counted = in_process("count", "*", data=data)
    assert "`tearsheet index rebuild` fills it again" in counted.output
    assert in_process("index", "rebuild", data=data).exit_code == 0
    with open_services(data) as services:
        assert "3 stories" in check_index(services)


def test_documents_alone_are_no_stories_that_the_index_lacks(tmp_path):
    ingest_page(tmp_path)
    with open_services(tmp_path) as services:
        assert services.archive.totals().stories
        assert not has_archived_stories(services)
        assert "0 stories" in check_index(services)
    lose_database(tmp_path)
    with open_services(tmp_path) as services:
        assert not has_archived_stories(services)

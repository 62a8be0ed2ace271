"""What of a data folder was lost is told with the command that brings it back."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tearsheet.app.archive_checks import check_archive, check_index, has_archived_stories, still_unregistered
from tearsheet.app.captures import verify_archive
from tearsheet.archive import index_file
from tearsheet.errors import StorageError
from tearsheet.work.announce import workers
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


def test_a_damaged_file_is_not_registered_as_if_it_were_whole(data):
    lose_database(data)
    (path,) = (data / "archive").rglob("*.warc.gz")
    path.write_bytes(path.read_bytes()[:-50])
    result = archive(data, "index", code=3)
    told = " ".join(result.output.split())
    assert "1 file registered" in told and f"{path.name}: byte " in told and "from a copy or a backup" in told


def test_a_file_that_lies_elsewhere_in_the_archive_folder_is_registered_where_it_lies(data):
    lose_database(data)
    (path,) = (data / "archive").rglob("*.warc.gz")
    path.rename(data / "archive" / path.name)
    archive(data, "index")
    assert "0 problems" in archive(data, "verify").stdout
    with open_services(data) as services:
        assert check_archive(services) == "1 file, all here or in a store"
        assert services.archive.totals().stories == 3


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


def test_a_file_that_an_archiver_is_about_to_register_is_not_told(data):
    """Between its name and its row there is a moment."""
    with open_services(data) as services:
        (path,) = (data / "archive").rglob("*.warc.gz")
        (copy := path.with_name("again-" + path.name)).write_bytes(path.read_bytes())
        assert still_unregistered(services, lambda seconds: pytest.fail("nobody is at work")) == [copy]
        announce_archiver(services)
        pauses: list[float] = []

        def register_at_last(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                index_file(copy, services.archive, services.archive_folder)

        assert still_unregistered(services, register_at_last) == [] and len(pauses) == 3
        copy.with_name("once-more-" + path.name).write_bytes(path.read_bytes())
        assert len(still_unregistered(services, lambda seconds: None)) == 1, "it is told in the end"


def announce_archiver(services) -> None:
    now = datetime.now(UTC)
    row = {"id": "w", "stage": "archiver", "host": "h", "pid": 1, "started_at": now, "seen_at": now}
    with services.database.begin() as connection:
        connection.execute(workers.insert(), [row | {"settled": 0, "per_second": 0.0}])


def test_a_file_that_is_moved_to_a_store_while_it_is_verified_is_read_there(tmp_path):
    with open_moving(tmp_path) as services:
        collect(services)
        verdicts = verify_archive_while(services, lambda: move_away(services))
    assert [verdict.problems for verdict in verdicts] == [[]]


def verify_archive_while(services, something):
    """Something happens after the list of files was read."""
    files = list(services.archive.files())
    something()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(services.archive, "files", lambda: iter(files))
        return list(verify_archive(services))

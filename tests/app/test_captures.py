"""Captures that were moved to a store serve whatever reads the archive as a whole."""

from __future__ import annotations

import pytest

from tearsheet.app import FileSource, chosen_by_names, chosen_by_query, pack, verify_archive
from tearsheet.query import parse_query
from tests.support.ingested_page import SHA1, ingest_page
from tests.support.moved_archive import collect, copy_of, move_away, open_moving


@pytest.fixture
def services(tmp_path):
    with open_moving(tmp_path) as services:
        yield services


def read_by_pipeline(services, name):
    source = FileSource(services, services.pipelines[name], [str(services.captures.copies.folder)])
    source.count()
    return source.tally


@pytest.mark.parametrize("pipeline", ["reparse", "archive"])
def test_a_pipeline_over_the_archive_folder_reads_what_was_moved_from_it(services, pipeline):
    collect(services, range(3))
    move_away(services)
    collect(services, range(3, 5))
    tally = read_by_pipeline(services, pipeline)
    assert (tally.files, tally.stories, tally.failed) == (2, 5, 0)


def test_a_moved_file_that_no_store_gives_is_not_finished(services):
    collect(services)
    move_away(services)
    copy_of(services).unlink()
    tally = read_by_pipeline(services, "reparse")
    assert (tally.files, tally.stories, tally.failed) == (1, 0, 1)
    assert "is not on this machine" in tally.examples[0].detail


def test_captures_of_a_query_and_of_a_list_are_packed_from_a_store(services, tmp_path):
    stories = collect(services)
    move_away(services)
    chosen = chosen_by_query(services, parse_query("*"), 2)
    assert (len(chosen.captures), chosen.missing, chosen.about) == (2, 0, "*")
    chosen = chosen_by_names(services.captures, [stories[0].id, stories[1].url or "", "unknown"])
    assert ([capture.story_id for capture in chosen.captures], chosen.missing) == ([s.id for s in stories[:2]], 1)
    told: list[tuple[int, int]] = []
    packed = pack(services, tmp_path / "out.wacz", chosen, "", lambda done, of: told.append((done, of)))
    assert (packed.pages, packed.missing) == (2, [])
    assert told == [(1, 2), (2, 2)]


def test_the_archive_is_verified_where_its_files_are(services):
    collect(services)
    move_away(services)
    (file,) = services.archive.files()
    (verdict,) = verify_archive(services)
    assert (verdict.file, verdict.stories, verdict.problems) == (file.name, 3, [])
    copy = copy_of(services)
    copy.write_bytes(copy.read_bytes()[:-40])
    (verdict,) = verify_archive(services)
    assert any("cut off" in problem.what for problem in verdict.problems)
    assert {problem.file for problem in verdict.problems} == {file.name}
    assert not any("tmp" in problem.what for problem in verdict.problems)


def test_an_ingested_document_is_replayed_from_a_store_with_its_pictures(tmp_path):
    ingest_page(tmp_path)
    with open_moving(tmp_path) as services:
        before = services.shown.document(services.ingest.replay.newest(SHA1))
        move_away(services)
        assert b"data:image/png" in before.body
        assert services.shown.document(services.ingest.replay.newest(SHA1)) == before

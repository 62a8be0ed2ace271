"""Files without some of their stories: what stays is the same to the byte, and other people's readers agree."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.archive.cutting import Cut, Cuts, Kept, find_cuts, places_after, splice
from tearsheet.archive.verify import verify_file
from tests.support.archive_stories import plain_story

DAY = datetime(2026, 11, 18, 9, tzinfo=UTC)


def written(folder, profile, stories):
    with StoryArchiveWriter(folder, profile=profile) as writer:
        for story in stories:
            writer.write(story)
    return writer.close()


def cut(path, ids):
    found = find_cuts(path, lambda story: story.id in ids, DAY, "asked for by the\r\nX: person")
    target = io.BytesIO()
    with path.open("rb") as source:
        splice(source, found.cuts, target)
    return found, target.getvalue()


def members(path):
    """The bytes of each story, by its id."""
    data = path.read_bytes()
    with StoryArchiveReader(path) as reader:
        return {one.story.id: data[one.offset : one.end] for one in reader.archived()}


@pytest.mark.parametrize("profile", ["mediacloud", "full"])
@pytest.mark.parametrize("gone", [[1], [3], [2, 4], [5], [1, 2, 3, 4, 5]])
def test_the_other_stories_stay_byte_by_byte(tmp_path, profile, gone):
    stories = [plain_story(number, b"<html>page %d" % number) for number in range(1, 6)]
    file = written(tmp_path, profile, stories)
    before = members(file.path)
    found, data = cut(file.path, {stories[number - 1].id for number in gone})
    assert [one.story_id for one in found.gone] == [stories[number - 1].id for number in gone]
    file.path.write_bytes(data)
    after = members(file.path)
    assert after == {key: value for key, value in before.items() if key not in {one.story_id for one in found.gone}}
    assert [problem.what for problem in verify_file(file.path).problems] == []
    places = places_after(found)
    with StoryArchiveReader(file.path) as reader:
        assert [one.offset for one in reader.archived()] == [places[kept.offset] for kept in found.kept]


@pytest.mark.parametrize("profile", ["mediacloud", "full"])
def test_warcio_reads_the_file_and_its_tombstone(tmp_path, profile):
    stories = [plain_story(number, b"<html>page %d" % number) for number in (1, 2, 3)]
    file = written(tmp_path, profile, stories)
    _, data = cut(file.path, {stories[1].id})
    records = [
        (record.rec_type, record.rec_headers.get_header("Content-Type"), record.content_stream().read())
        for record in ArchiveIterator(io.BytesIO(data), check_digests="raise")
    ]
    pages = [body for kind, _, body in records if kind == "response" and body]
    assert pages == [b"<html>page 1", b"<html>page 3"]
    (tombstone,) = [
        body for kind, content, body in records if content == "application/warc-fields" and kind == "metadata"
    ]
    lines = dict(line.split(": ", 1) for line in tombstone.decode().splitlines())
    assert lines["erased"] == "2026-11-18"
    assert lines["reason"] == "asked for by the X: person"
    assert lines["captured"] == "2023-11-14"
    assert len(lines["payload-digest"]) == len("sha256:") + 64
    assert b"news.example/2" not in data and b"Title 2" not in b"".join(body for _, _, body in records)


def test_a_page_that_revisits_an_erased_one_gets_its_bytes(tmp_path):
    stories = [plain_story(number, b"<html>the same page") for number in (1, 2, 3)]
    file = written(tmp_path, "full", stories)
    with StoryArchiveReader(file.path) as reader:
        assert [record.type for record in reader.records()].count("revisit") == 2
    found, data = cut(file.path, {stories[0].id})
    file.path.write_bytes(data)
    with StoryArchiveReader(file.path) as reader:
        assert list(reader) == stories[1:]
        assert reader.damages == []
    assert verify_file(file.path).problems == []
    list(ArchiveIterator(io.BytesIO(data), check_digests="raise"))
    assert len(places_after(found)) == 2


def test_the_same_cut_gives_the_same_bytes(tmp_path):
    stories = [plain_story(number) for number in (1, 2)]
    file = written(tmp_path, "full", stories)
    assert cut(file.path, {stories[0].id})[1] == cut(file.path, {stories[0].id})[1]


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 40), st.booleans()), max_size=12))
def test_places_follow_from_what_is_cut_before_them(parts):
    """Each part is a story of some bytes: it stays, or other bytes take its place."""
    source, expected, cuts, kept, places = b"", b"", [], [], {}
    for number, (length, instead, stays) in enumerate(parts):
        data = bytes([number]) * length
        if stays:
            kept.append(Kept(str(number), len(source), ""))
            places[len(source)] = len(expected)
            expected += data
        else:
            cuts.append(Cut(len(source), len(source) + length, b"x" * instead))
            expected += b"x" * instead
        source += data
    target = io.BytesIO()
    assert splice(io.BytesIO(source), cuts, target)[0] == len(expected)
    assert target.getvalue() == expected
    assert places_after(Cuts(cuts, [], kept)) == places

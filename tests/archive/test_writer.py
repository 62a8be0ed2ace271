"""Stories into files and back, in both profiles."""

import io
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.archive.profiles import PROFILES
from tearsheet.archive.reader import read_story_at
from tearsheet.errors import ConfigError, StorageError
from tests.support.archive_stories import PAGE, plain_story

profiles = pytest.mark.parametrize("profile", PROFILES)


def write(folder: Path, stories, profile="mediacloud", **options):
    with StoryArchiveWriter(folder, profile=profile, **options) as writer:
        for story in stories:
            writer.write(story)
    return writer.close()


@profiles
def test_the_writer_and_the_reader_agree_on_every_place(tmp_path, profile):
    stories = [plain_story(n, PAGE * (n % 3)) for n in range(7)]
    file = write(tmp_path, stories, profile)
    with StoryArchiveReader(file.path) as reader:
        entries = list(reader.archived())
    assert [entry.story for entry in entries] == stories
    assert reader.damages == []
    places = [(entry.story.id, entry.offset, entry.length, entry.sha256, entry.time) for entry in entries]
    assert places == [(c.story_id, c.offset, c.length, c.sha256, c.time) for c in file.captures]


@profiles
def test_one_story_is_read_alone_by_its_offset(tmp_path, profile):
    stories = [plain_story(n) for n in range(3)]  # one page thrice: in `full` the later ones are revisits
    file = write(tmp_path, stories, profile)
    for story, capture in zip(stories, file.captures, strict=True):
        found = read_story_at(file.path, capture.offset)
        assert found is not None
        assert found.story == story
        raw = file.path.read_bytes()[found.offset : found.end]
        if profile == "mediacloud":
            assert list(StoryArchiveReader(io.BytesIO(raw))) == [story]
    assert read_story_at(file.path, 1) is None
    assert read_story_at(file.path, file.size + 5) is None


def test_a_story_without_an_id_is_always_given_the_same(tmp_path):
    story = plain_story()
    story.id = ""
    first, second = write(tmp_path, [story]), write(tmp_path, [story])
    assert first.captures[0].story_id == second.captures[0].story_id
    with StoryArchiveReader(first.path) as reader:
        assert [story.id for story in reader] == [first.captures[0].story_id]


def test_a_repeated_page_is_stored_once_in_the_full_profile(tmp_path):
    page = PAGE * 500
    one = write(tmp_path, [plain_story(1, page)], "full")
    ten = write(tmp_path, [plain_story(n, page) for n in range(10)], "full")
    with StoryArchiveReader(ten.path) as reader:
        kinds = [record.type for record in reader.records()]
    assert kinds.count("revisit") == 9
    assert ten.size < one.size + 9 * 3_000


def test_nothing_but_the_finished_file_and_its_index_is_there(tmp_path):
    with StoryArchiveWriter(tmp_path, prefix="a/b", host="../x") as writer:
        writer.write(plain_story())
        assert [path.suffix for path in writer.path.parent.iterdir()] == [".tmp"]
    file = writer.close()
    assert sorted(path.name for path in file.path.parent.iterdir()) == [
        file.name.replace(".warc.gz", ".cdxj"),
        file.name,
    ]
    assert file.path == tmp_path / file.key
    assert file.path.stat().st_size == file.size


def test_an_error_leaves_nothing_behind(tmp_path):
    with pytest.raises(RuntimeError), StoryArchiveWriter(tmp_path) as writer:
        writer.write(plain_story())
        raise RuntimeError
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_names_are_never_used_twice(tmp_path):
    clock = lambda: 1_700_000_000.0  # noqa: E731
    paths = {write(tmp_path, [plain_story(n)], clock=clock, host="h").path for n in range(5)}
    assert len(paths) == 5
    assert {path.parent for path in paths} == {tmp_path / "2023/11/14"}


def test_a_name_that_only_a_store_has_is_not_used_again(tmp_path):
    """Serial numbers start over in each process, and a file may have left the folder within the second that is in its name."""
    names: list[str] = []

    def taken(name: str) -> bool:
        names.append(name)
        return len(names) < 3

    assert write(tmp_path, [plain_story(1)], taken=taken).name == names[-1]
    assert len(set(names)) == 3


def test_a_profile_that_does_not_exist_is_named():
    with pytest.raises(ConfigError, match=r"archive\.profile"):
        StoryArchiveWriter(Path(), profile="best")


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        StoryArchiveWriter(tmp_path / "file")

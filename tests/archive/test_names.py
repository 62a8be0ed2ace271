from datetime import UTC, datetime

import pytest

from tearsheet.archive.names import ArchiveName, cdxj_name, parse_name, safe_part


def test_a_name_says_when_and_where_and_lies_in_the_folder_of_its_day():
    name = ArchiveName("mc", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), 7, "box.example")
    assert str(name) == "mc-20260102030405-7-box.example.warc.gz"
    assert name.key == "2026/01/02/mc-20260102030405-7-box.example.warc.gz"
    assert parse_name(str(name)) == name


@pytest.mark.parametrize(
    "name", ["", "x.warc.gz", "mc-20261399000000-1-h.warc.gz", "mc-20260102030405-1-h.warc.gz.tmp"]
)
def test_other_names_are_not_ours(name):
    assert parse_name(name) is None


def test_names_of_media_cloud_are_read():
    assert parse_name("mchist2021-20240102030405-12-a-b.c.warc.gz") == ArchiveName(
        "mchist2021", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC), 12, "a-b.c"
    )


@pytest.mark.parametrize(
    ("text", "safe"), [("a/../b", "a_.._b"), ("..", "x"), ("", "x"), ("mc", "mc"), ("a b\n", "a_b_")]
)
def test_no_part_of_a_name_leaves_its_folder(text, safe):
    assert safe_part(text) == safe


def test_the_index_stands_beside_its_file():
    assert cdxj_name("a-1.warc.gz") == "a-1.cdxj"
    assert cdxj_name("a-1.warc") == "a-1.cdxj"

"""A snapshot as files: the same bytes each time, and pages that open from a disk."""

import msgspec
import pytest
from lxml import etree
from pyarrow import parquet

from tearsheet.errors import NotFoundError
from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.export_files import page_of, write_export, write_map
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.map_svg import to_svg
from tests.support.frozen_primes import overall_of


def test_the_same_snapshot_gives_the_same_bytes(frozen, tmp_path):
    every = ["csv", "jsonl", "parquet", "gexf", "graphml", "svg", "png", "html"]
    first = write_export(frozen, tmp_path / "a", every)
    second = write_export(frozen, tmp_path / "b", every)
    assert len(first) == len(second) > 50
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes(), a


def test_a_column_without_values_has_the_type_that_it_always_has(frozen, tmp_path):
    bare = [msgspec.structs.replace(story, facebook_shares=None) for story in frozen.stories]
    write_export(msgspec.structs.replace(frozen, stories=tuple(bare)), tmp_path / "bare", ["parquet"])
    write_export(frozen, tmp_path / "full", ["parquet"])
    for name in ("stories", "media", "story_links", "medium_links"):
        schemas = [parquet.read_schema(tmp_path / kind / "overall" / f"{name}.parquet") for kind in ("bare", "full")]
        assert schemas[0] == schemas[1]
        assert "null" not in map(str, schemas[0].types)
    assert str(schemas[0].field("link_count").type) == "int64"


def test_the_head_of_the_page_tells_the_links_that_its_tables_count(frozen):
    figures = overall_of(frozen)
    assert f"{len(figures.story_links)} of them from one source to another." in page_of(frozen)
    assert len(frozen.links) > len(figures.story_links)


def test_links_have_their_sentences_in_the_table_and_on_the_page(frozen, tmp_path):
    said = [f"Story {a} says <that> of {b}." for a, b in frozen.links]
    write_export(msgspec.structs.replace(frozen, sentences=tuple(said)), tmp_path, ["jsonl", "html"])
    lines = (tmp_path / "overall" / "story_links.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line) for line in lines]
    number = {story.id: place for place, story in enumerate(frozen.stories)}
    expected = [
        f"Story {number[row['source_stories_id']]} says <that> of {number[row['ref_stories_id']]}." for row in rows
    ]
    assert rows and [row["sentence"] for row in rows] == expected
    shown = (tmp_path / "index.html").read_text("utf-8")
    assert expected[0].replace("<that>", "&lt;that&gt;") in shown


def test_a_snapshot_without_sentences_is_read_and_written_as_before(frozen, tmp_path):
    write_export(frozen, tmp_path, ["csv", "html"])
    head, first, *_ = (tmp_path / "overall" / "story_links.csv").read_text("utf-8").splitlines()
    assert head == "source_stories_id,ref_stories_id,sentence"
    assert first.endswith(",")
    assert "<h2>Links</h2>" not in (tmp_path / "index.html").read_text("utf-8")


def test_the_map_and_the_page_escape_what_came_from_the_web(frozen):
    svg = to_svg(MediaMap(overall_of(frozen)), frozen.topic)
    sources = etree.fromstring(svg.encode()).findall(".//{*}circle/{*}title")
    assert [title.text.partition(":")[0] for title in sources if title.text] == ["f.example", "d.example", "a.example"]
    page = page_of(frozen)
    assert "<Primes>" not in page
    assert "&lt;Primes&gt; &amp; co" in page
    assert "src=" not in page.replace("script-src", "").replace("style-src", "").replace("default-src", "")


def test_one_map_by_name(frozen, tmp_path):
    write_map(frozen, tmp_path / "m.svg", "custom-2024-01-02-2024-01-03")
    assert (tmp_path / "m.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(NotFoundError, match="did you mean custom-2024-01-02-2024-01-03"):
        write_map(frozen, tmp_path / "m.svg", "custom-2024-01-02-2024-01-04")


def test_an_empty_topic(tmp_path):
    empty = Frozen("Nothing", "x", None, None, (), (), (), ())
    assert write_export(empty, tmp_path, ["csv", "gexf", "svg", "png", "html"])

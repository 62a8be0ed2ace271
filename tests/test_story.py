from __future__ import annotations

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.story import (
    ContentMetadata,
    Exchange,
    HTTPMetadata,
    RawHTML,
    RSSEntry,
    Story,
    WireStory,
    decode_story,
    encode_story,
    make_story_id,
)

STORIES = st.builds(
    Story,
    id=st.uuids().map(str),
    rss_entry=st.builds(
        RSSEntry, link=st.text(), source_feed_id=st.integers(-(2**63), 2**63 - 1), via=st.one_of(st.none(), st.text())
    ),
    raw_html=st.builds(
        RawHTML, html=st.one_of(st.none(), st.binary(min_size=1)), encoding=st.one_of(st.none(), st.text())
    ),
    http_metadata=st.builds(HTTPMetadata, response_code=st.integers(0, 999), fetch_timestamp=st.floats(0, 1e10)),
    content_metadata=st.builds(
        ContentMetadata, text_content=st.text(), authors=st.lists(st.text()), is_homepage=st.booleans()
    ),
    exchanges=st.lists(st.builds(Exchange, url=st.text(), status=st.integers(0, 999))),
)


@given(STORIES)
def test_the_wire_form_gives_back_every_field(story):
    assert decode_story(encode_story(story)) == story


def test_a_field_that_is_not_declared_cannot_be_set():
    with pytest.raises(AttributeError):
        Story().content_metadata.no_such_field = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        RSSEntry(no_such_field=1)  # type: ignore[call-arg]


def test_fields_and_versions_of_later_programs_are_read():
    later = {
        "v": 2,
        "story": {"id": "x", "rss_entry": {"link": "http://a.example/", "new": 1}, "whole_new_part": {"a": 2}},
    }
    wire = WireStory(zstandard.compress(msgspec.msgpack.encode(later)))
    story = decode_story(wire)
    assert (story.id, story.rss_entry.link) == ("x", "http://a.example/")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"junk",
        zstandard.compress(b"junk"),
        zstandard.compress(msgspec.msgpack.encode([1])),
        zstandard.ZstdCompressor(write_content_size=False).compress(b"junk"),
        zstandard.compress(b"\x82\xa1v\x01\xa1x" + b"\x91" * 100_000),
        # A frame that says that it holds 2**62 bytes.
        bytes.fromhex("28b52ffde00000000000000040010000"),
    ],
    ids=["nothing", "junk", "packed junk", "a list", "junk of no known size", "lists in lists", "a size that lies"],
)
def test_bytes_that_are_no_story_are_refused(data):
    with pytest.raises(ValueError, match="not a story"):
        decode_story(WireStory(data))


def test_the_page_is_not_compressed_again_when_it_is_handed_over():
    story = Story(raw_html=RawHTML(b"<p>" * 100))
    assert encode_story(story, page=b"compressed before").page == b"compressed before"


def test_ids_are_the_same_for_the_same_parts_only():
    assert make_story_id("rss", 1) == make_story_id("rss", 1) != make_story_id("rss", 11)
    assert make_story_id("a", "b") != make_story_id("ab")

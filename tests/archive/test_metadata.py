import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.archive.metadata import story_from_json, story_to_json
from tearsheet.story import OWN_CONTENT_FIELDS, ContentMetadata, RSSEntry, decode_story, encode_story
from tests.support.archive_stories import any_story, plain_story


@given(any_story)
def test_every_field_survives_the_metadata_record(story):
    back, extra, ours = story_from_json(story_to_json(story, id_in_record=False))
    html = story.raw_html.html
    if html:
        assert back.raw_html.html == b""  # the page itself is the response's
        back.raw_html.html = html
    assert back == story
    assert (extra, ours) == ({}, True)


def test_media_clouds_keys_hold_media_clouds_fields_only():
    story = plain_story(description="short", authors=["A"], text_confidence=0.5)
    top = json.loads(story_to_json(story, id_in_record=True))
    assert list(top) == ["rss_entry", "http_metadata", "content_metadata", "tearsheet"]
    assert not set(OWN_CONTENT_FIELDS) & set(top["content_metadata"])
    assert top["tearsheet"]["content_metadata"]["authors"] == ["A"]
    assert "raw_html" not in top
    assert "id" not in top["tearsheet"]


def test_extra_keys_come_back_and_never_replace_a_part():
    block = story_to_json(
        plain_story(), id_in_record=True, extra={"queue_data": {"x-mc-retries": 3}, "rss_entry": "no"}
    )
    story, extra, _ = story_from_json(block)
    assert extra == {"queue_data": {"x-mc-retries": 3}}
    assert story.rss_entry.link == "https://t.example/1"


def test_numbers_that_json_does_not_know_become_nothing():
    story = plain_story(text_confidence=float("nan"))
    story.http_metadata.fetch_timestamp = float("inf")
    back, _, _ = story_from_json(story_to_json(story, id_in_record=True))
    assert back.content_metadata.text_confidence is None
    assert back.http_metadata.fetch_timestamp is None


ODD = (
    {"rss_entry": {"source_feed_id": 10**30, "source_source_id": -(10**25), "title": "kept"}},
    {"http_metadata": {"response_code": 2**63}, "rss_entry": {"title": "kept"}},
    {"rss_entry": {"title": "kept"}, "tearsheet": {"exchanges": [{"url": "http://a.example/", "status": 10**30}]}},
    {"rss_entry": {"title": "kept"}, "content_metadata": {"article_title": "half \ud83d", "text_content": "\udfff"}},
    {
        "rss_entry": {"title": "kept"},
        "x": {"\ud800": 10**30},
        "http_metadata": {"final_url": "http://a.example/\ud800"},
    },
)


@pytest.mark.parametrize("top", ODD)
def test_what_no_message_could_take_is_left_out_or_replaced(top):
    """Anyone's archive can be given to a pipeline: one odd number or half a character must not end it."""
    story, _, _ = story_from_json(json.dumps(top).encode())
    assert story.rss_entry.title == "kept"
    assert decode_story(encode_story(story)).rss_entry.title == "kept"


def test_be_liberal_in_what_you_accept():
    block = json.dumps(
        {
            "rss_entry": {"link": 17, "source_feed_id": "12", "title": ["no"], "unknown": 1, "domain": None},
            "http_metadata": {"response_code": True, "fetch_timestamp": 5},
            "content_metadata": {"authors": [1], "text_confidence": 10**400, "is_homepage": 1, "language": "en"},
            "rabbitmq_headers": {"a": 1},
        }
    ).encode()
    story, extra, ours = story_from_json(block)
    assert story.rss_entry == RSSEntry(link="17", source_feed_id=12)
    assert story.http_metadata.response_code is None
    assert story.http_metadata.fetch_timestamp == 5.0
    assert story.content_metadata == ContentMetadata(language="en")
    assert (extra, ours) == ({"rabbitmq_headers": {"a": 1}}, False)


@pytest.mark.parametrize("block", [b"", b"[]", b"\xff\xfe", b"{", b"[" * 100_000, b'{"a": "\xc3"}'])
def test_what_is_no_metadata_is_said_to_be_none(block):
    with pytest.raises(ValueError):
        story_from_json(block)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_json_of_a_stranger_raises_anything_else(value):
    for top in (value, {"rss_entry": value, "http_metadata": {"encoding": value}, "tearsheet": {"exchanges": [value]}}):
        try:
            story_from_json(json.dumps(top).encode())
        except ValueError:
            assert not isinstance(top, dict)

"""The metadata page names every field of a story, and no other."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from tearsheet.story import OWN_CONTENT_FIELDS, ContentMetadata, Exchange, HTTPMetadata, RawHTML, RSSEntry
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "reference" / "metadata.md").read_text("utf-8")


def rows(heading: str) -> list[list[str]]:
    section = re.search(rf"^## {heading}\n(.*?)(?=^#)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    lines = [line for line in section[1].splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("rss_entry", RSSEntry),
        ("http_metadata", HTTPMetadata),
        ("content_metadata", ContentMetadata),
        ("raw_html", RawHTML),
        ("exchanges", Exchange),
    ],
)
def test_every_field_is_described_with_all_that_there_is_to_say(heading, part):
    found = rows(heading)
    named = [name for row in found for name in re.findall(r"`(\w+)`", row[0])]
    assert named == [item.name for item in fields(part)]
    assert all(len(row) == 7 and all(row) for row in found)


def test_fields_of_our_own_stand_under_our_own_key():
    for row in rows("content_metadata"):
        name = row[0].strip("`")
        prefix = "tearsheet." if name in OWN_CONTENT_FIELDS else ""
        assert f"`{prefix}content_metadata.{name}`" in row[5]

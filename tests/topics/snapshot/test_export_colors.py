"""What the colours of maps and networks stand for."""

from __future__ import annotations

import re

import msgspec
import pytest

from tearsheet.errors import UsageError
from tearsheet.topics.snapshot.export import NO_FOCUS, MediaMap
from tearsheet.topics.snapshot.export_files import colored_foci, page_of, write_export, write_map
from tearsheet.topics.snapshot.map_svg import to_svg
from tearsheet.topics.snapshot.palette import COLORS, color_of
from tearsheet.topics.snapshot.picture import picture_of
from tests.support.frozen_primes import overall_of

LABELS = {"a.example": ("party/left", "river"), "d.example": ("party/right",)}


@pytest.fixture
def labelled(frozen):
    stories = tuple(msgspec.structs.replace(story, foci=LABELS.get(story.media, ())) for story in frozen.stories)
    foci = (("party/left", "from a.example"), ("party/right", "from d.example"), ("river", "river <b>"))
    return msgspec.structs.replace(frozen, stories=stories, foci=foci)


def legend(chart):
    return [(remark.text, remark.color) for remark in picture_of(chart).remarks if remark.color]


def test_colours_stand_for_what_was_asked_for(labelled):
    assert colored_foci(labelled, "community") == ()
    assert colored_foci(labelled, "focus") == ("party/left", "party/right", "river")
    assert colored_foci(labelled, "party") == ("party/left", "party/right")
    assert colored_foci(labelled, "river") == ("river",)
    with pytest.raises(UsageError, match="'partie'; did you mean party"):
        colored_foci(labelled, "partie")


def test_no_foci_no_colours_of_them(frozen):
    bare = msgspec.structs.replace(frozen, foci=())
    with pytest.raises(UsageError, match="choose among community"):
        colored_foci(bare, "focus")


def test_a_map_says_what_its_colours_are(labelled):
    figures = overall_of(labelled)
    by_party = MediaMap(figures, foci=("party/left", "party/right"))
    groups = dict(zip((row.media for row in by_party.media), by_party.groups, strict=True))
    assert groups == {"a.example": 0, "d.example": 1, "f.example": NO_FOCUS}
    assert legend(by_party) == [
        ("party/left: 1 source", COLORS[0]), ("party/right: 1 source", COLORS[1]), ("1 source in no focus", color_of(NO_FOCUS)),
    ]  # fmt: skip
    assert legend(MediaMap(figures)) == legend(MediaMap(figures, foci=()))
    assert "around it" in legend(MediaMap(figures))[0][0]
    assert {circle.color for circle in picture_of(by_party).circles} == {COLORS[0], COLORS[1], color_of(NO_FOCUS)}


def test_foci_beyond_the_colours_are_grey(labelled):
    names = [*(f"f{number}" for number in range(len(COLORS))), "party/left", "party/right"]
    told = legend(MediaMap(overall_of(labelled), foci=names))
    assert told == [("3 sources in other foci, or none", color_of(NO_FOCUS))]


def test_exports_maps_and_pages_have_the_colours_of_foci(labelled, tmp_path):
    write_export(labelled, tmp_path / "out", ["csv", "gexf", "svg", "html"], color_by="party")
    overall = tmp_path / "out" / "overall"
    assert "party/left: 1 source" in (overall / "map.svg").read_text("utf-8")
    red, green, blue = COLORS[1]
    gexf = (overall / "media.gexf").read_text("utf-8")
    [node] = re.findall(r'<node id="d.example".*?</node>', gexf)
    assert f'r="{red}" g="{green}" b="{blue}"' in node and 'value="party/right"' in node
    assert 'value="party/left;river"' in gexf
    heading, *rows = (overall / "media.csv").read_text("utf-8").splitlines()
    assert heading.endswith(",community,foci") and any(row.endswith(",party/left;river") for row in rows)
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "that of the focus which most" in page and "Colours are communities" not in page
    write_map(labelled, tmp_path / "map.html", color_by="focus")
    assert "that of the focus which most" in (tmp_path / "map.html").read_text("utf-8")
    write_map(labelled, tmp_path / "map.svg", color_by="river")
    assert "river: 1 source" in (tmp_path / "map.svg").read_text("utf-8")
    assert (tmp_path / "map.svg").read_text("utf-8") != to_svg(MediaMap(overall_of(labelled)), "x")


def test_a_page_shows_foci_in_each_month_but_not_in_each_week(labelled):
    page = page_of(labelled)
    shown = re.findall(r'<section data-timespan="([^"]*)" data-focus="([^"]*)"', page)
    assert ("weekly-2024-01-01-2024-01-07", "") in shown and ("monthly-2024-01-01-2024-01-31", "party/left") in shown
    assert not [focus for days, focus in shown if focus and days.startswith("weekly")]
    assert '<option value="river">river: river &lt;b&gt;</option>' in page
    assert "Colours are communities" in page

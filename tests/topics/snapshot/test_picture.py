"""What a map shows."""

from dataclasses import replace

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.picture import LABELS, picture_of
from tests.support.frozen_primes import overall_of
from tests.support.many_sources import many_sources
from tests.support.overlapping import overlapping


def texts(picture):
    return [remark.text for remark in picture.remarks]


def test_every_source_has_a_circle_and_the_most_linked_a_name():
    figures = many_sources(250)
    chart = MediaMap(figures)
    picture = picture_of(chart)
    assert len(picture.circles) == 250
    assert len(picture.labels) == LABELS
    inside = [row.media for node, row in enumerate(figures.media) if node not in set(chart.apart)]
    assert [label.name.text for label in picture.labels] == inside[:LABELS]
    assert overlapping(picture.labels) == []


def test_the_legend_names_communities_and_what_lies_apart():
    chart = MediaMap(many_sources(250))
    picture = picture_of(chart)
    first = next(
        row.media for node, row in enumerate(chart.media) if row.community == 0 and node not in set(chart.apart)
    )
    assert texts(picture)[0].startswith(f"{first} and ")
    assert texts(picture)[-1] == f"{len(chart.apart)} sources below the map: no link joins them to these."
    assert picture.height > max(circle.disc.y for circle in picture.circles)


def test_more_dots_than_have_room_are_counted(frozen):
    figures = many_sources(500)
    picture = picture_of(MediaMap(replace(figures, medium_links=())))
    assert len(picture.circles) == 408
    assert texts(picture) == ["No links; 408 of them are drawn."]
    assert texts(picture_of(MediaMap(overall_of(frozen))))[-1].startswith("A larger circle")


def test_a_map_of_nothing():
    picture = picture_of(MediaMap(many_sources(50), limit=0))
    assert (picture.circles, picture.lines, picture.labels, picture.remarks) == ([], [], [], [])

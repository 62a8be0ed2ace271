"""Names beside their circles, none over another."""

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics.snapshot.labels import Disc, Name, place_labels, text_width
from tests.support.overlapping import overlapping


def test_a_name_that_has_room_goes_below_its_circle():
    [label] = place_labels([Name(Disc(500, 500, 10), "a.example", 12)], [], 1000, 1000)
    assert (label.x, label.led) == (500, False)
    assert 510 < label.box[1] < label.y < label.box[3] < 530


def test_a_name_avoids_circles_and_the_edge():
    disc, below = Disc(500, 500, 10), Disc(500, 520, 10)
    [label] = place_labels([Name(disc, "a.example", 12)], [disc, below], 1000, 1000)
    assert label.box[3] < 500
    [label] = place_labels([Name(Disc(500, 995, 4), "a.example", 12)], [], 1000, 1000)
    assert label.box[3] <= 1000


def test_names_in_one_place_move_aside_and_are_led_back():
    names = [Name(Disc(500 + i / 10, 500, 12), f"newspaper{i}.example", 12) for i in range(60)]
    labels = place_labels(names, [name.disc for name in names], 1000, 1000)
    assert [label.name for label in labels] == names
    assert overlapping(labels) == []
    assert sum(label.led for label in labels) > 40
    assert not labels[0].led


def test_what_fits_nowhere_is_left_out():
    names = [Name(Disc(50, 50, 5), "a" * 10, 12) for _ in range(40)]
    labels = place_labels(names, [], 100, 100)
    assert 2 <= len(labels) <= 7
    assert overlapping(labels) == []
    assert place_labels([Name(Disc(5, 5, 2), "far too long for this picture", 12)], [], 100, 100) == []


def test_wide_letters_take_more_room():
    assert text_width("新闻", 10) == 21 > text_width("ab", 10)


@given(
    st.lists(
        st.tuples(st.floats(0, 300), st.floats(0, 300), st.floats(1, 30), st.text("abcä新", max_size=12)), max_size=12
    )
)
def test_no_name_lies_over_another_or_outside(places):
    names = [Name(Disc(x, y, radius), text, 11) for x, y, radius, text in places]
    labels = place_labels(names, [name.disc for name in names], 300, 300)
    assert overlapping([label for label in labels if label.name.text]) == []
    assert all(
        0 <= label.box[0] <= label.box[2] <= 300 and 0 <= label.box[1] <= label.box[3] <= 300 for label in labels
    )
    assert labels == place_labels(names, [name.disc for name in names], 300, 300)

"""What foci are called, say and hold."""

import pytest

from tearsheet.topics.foci import Focus, country_of, foci_text, of_set, read_foci, set_of


@pytest.mark.parametrize(
    ("source", "country"),
    [
        ("paper.fr", "fr"), ("bbc.co.uk", "gb"), ("PAPER.DE", "de"), ("paper.com", ""), ("paper.tv", ""), ("site.eu", ""),
        ("127.0.0.1", ""), ("paper.xn--p1ai", ""), ("medium.com/@a.fr", ""), ("blog.fr/@name", "fr"), ("", ""),
    ],
)  # fmt: skip
def test_a_domain_tells_a_country_by_its_ending(source, country):
    assert country_of(source) == country


def test_a_focus_is_told_in_words():
    assert Focus("dam OR weir").describe() == "dam OR weir"
    assert Focus(sources=("a.example", "b.example"), languages=("de",)).describe() == (
        "from a.example or b.example, in the language de"
    )
    assert Focus("dam", sources=tuple("abcd"), countries=("fr",)).describe() == (
        "dam, from one of 4 sources, from the country fr"
    )
    assert Focus(languages=tuple("abcd"), collections=("Locals",)).describe() == (
        "from the collection Locals, in one of 4 languages"
    )


def test_foci_are_read_as_they_were_stored_by_this_version_and_earlier_ones():
    foci = {"b": Focus("dam"), "a/x": Focus(sources=("a.example",), countries=("fr",))}
    assert read_foci(foci_text(foci)) == foci
    assert list(read_foci(foci_text(foci))) == ["a/x", "b"]
    assert read_foci('{"river": "river OR stream"}') == {"river": Focus("river OR stream")}
    assert read_foci("{}") == {}


def test_names_with_the_same_beginning_are_a_set():
    names = ["party", "party/left", "party/right", "partying", "river"]
    assert set_of("party/left") == "party" and set_of("river") == ""
    assert of_set(names, "party") == ["party", "party/left", "party/right"]
    assert of_set(names, "river") == ["river"] and of_set(names, "focus") == names and of_set(names, "par") == []

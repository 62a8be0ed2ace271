"""What is kept of an entry is bounded, for one entry and for a whole document."""

from __future__ import annotations

from tearsheet.feeds.formats.model import Enclosure, Entry
from tearsheet.feeds.polling.details import MAX_KEPT, MAX_KEPT_OF_ALL, details_of, read_details, shown_details


def test_details_come_back_as_they_were_kept() -> None:
    entry = Entry(summary="Short", authors=("Ann",), enclosures=(Enclosure("http://a.example/a", None, 7),))
    assert read_details(details_of(entry, 1)) == {
        "summary": "Short", "content": None, "authors": ["Ann"], "categories": [],
        "enclosures": [{"url": "http://a.example/a", "type": None, "length": 7}],
    }  # fmt: skip
    assert details_of(Entry("http://a.example/", "title"), 1) is None
    assert read_details(None)["authors"] == []


def test_people_are_shown_no_markup() -> None:
    entry = Entry(content="<p>Short &amp; <b>bold</b><script>x()</script></p>", categories=("News",))
    shown = shown_details(read_details(details_of(entry, 1)))
    assert shown is not None and (shown.summary, list(shown.categories)) == ("Short & bold", ["News"])
    assert shown_details(read_details(None)) is None
    assert shown_details(read_details(details_of(Entry(summary="<br>"), 1))) is None


def test_long_texts_are_cut() -> None:
    long = Entry(summary="x" * 50_000, content="y" * 50_000)
    kept = read_details(details_of(long, 1))
    assert (len(kept["summary"]), len(kept["content"])) == (MAX_KEPT, MAX_KEPT)
    many = read_details(details_of(long, 2_000))
    assert 2_000 * (len(many["summary"]) + len(many["content"])) <= MAX_KEPT_OF_ALL

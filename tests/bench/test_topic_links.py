"""Which links of a page are said to stand in its article."""

from bench.extract_data import Page
from bench.topic_links import anchors_of, folded, in_article, links_in

from tearsheet.extract import Document

HTML = b"""<html><body><nav><a href="http://nav.example/">The river</a></nav>
<p>The dam broke, <a href="http://a.example/1">others <b>reported</b></a>, at night, and nobody knew of it until noon.</p>
<button><a href="http://share.example/">Share</a></button><script>var x;</script>
<p>See <a href="/own">this</a> and <a href="http://b.example/2">that</a> for what the council had said about it.</p>
</body></html>"""
TEXT = """The dam broke, others reported, at night, and nobody knew of it until noon.
See this and that for what the council had said about it."""


def test_links_stand_between_the_words_around_them():
    found = anchors_of(Document(HTML, "http://paper.example/"))
    assert [anchor.url for anchor in found] == [
        "http://nav.example/", "http://a.example/1", "http://paper.example/own", "http://b.example/2",
    ]  # fmt: skip
    assert (found[1].text, found[1].after[:7]) == ("othersreported", "atnight")
    assert found[1].before.endswith("thedambroke")
    assert [in_article(anchor, folded(TEXT)) for anchor in found] == [False, True, True, True]


def test_links_to_other_sources_are_counted():
    page = Page("x", HTML, "http://paper.example/", "paper.example", text=TEXT)
    assert [anchor.url for anchor in links_in(page, folded(TEXT)).values()] == [
        "http://a.example/1",
        "http://b.example/2",
    ]

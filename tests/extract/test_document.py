import threading
from datetime import date

import pytest

from tearsheet.extract import Document, extract
from tearsheet.urls import BadURL
from tests.support.article_page import SENTENCES, article_page

URL = "https://www.daily.example/news/council-bridge"


def test_the_article_and_nothing_else():
    text = Document(article_page(), URL).text
    for sentence in SENTENCES:
        assert sentence in text
    for other in ("Another story", "Related stories", "All rights reserved", "News"):
        assert other not in text


def test_a_confidence_comes_with_each_text():
    good = extract(article_page(), URL)
    assert good.text_confidence is not None
    assert 0.8 < good.text_confidence <= 1
    links = "".join(
        f'<p><a href="/{i}">Read about the {i}th thing that happened today in town</a></p>' for i in range(40)
    )
    poor = Document(f"<html><body>{links}</body></html>", URL).article
    assert poor.confidence < good.text_confidence


def test_text_behind_noscript_is_found_when_there_is_no_other():
    body = "".join(f"<p>{sentence} {sentence}</p>" for sentence in SENTENCES)
    page = f"<html><body><div id=app></div><noscript><article>{body}</article></noscript></body></html>"
    assert SENTENCES[0] in Document(page, URL).text


def test_repeated_paragraphs_are_kept_once():
    page = article_page(extra=f"<div class='entry-content'><p>{SENTENCES[0]} {SENTENCES[1]}</p></div>")
    assert Document(page, URL).text.count(f"{SENTENCES[0]} {SENTENCES[1]}") == 1


def test_names():
    document = Document(article_page(), URL)
    assert document.title == "Council to rebuild bridge"
    assert document.authors == ["Jo Walters"]
    assert document.description == "The old bridge comes back."
    assert document.language == "en"
    assert document.stated_language == "en-gb"


def test_json_ld_is_read_as_pages_write_it():
    head = """<script type="application/ld+json">
    // <![CDATA[
    {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "x"}, {"@type": ["NewsArticle"],
     "headline": "Council to rebuild\nbridge", "datePublished": "2023-11-02T23:30:00-05:00",
     "author": [{"@type": "Person", "name": "Ann Other"}, {"@id": "#p2"}], "image": {"url": "/a.jpg"},},
     {"@type": "Person", "@id": "#p2", "name": "Bo Third"}]}
    // ]]></script>"""
    document = Document(article_page(head=head), URL)
    assert document.publication_date == (date(2023, 11, 2), "json-ld")
    assert document.authors == ["Ann Other", "Bo Third"]
    assert document.image == "https://www.daily.example/a.jpg"


@pytest.mark.parametrize(
    "json", ["[" * 50_000, '{"a":' * 20_000, "nonsense", "null", "[1, 2]", '{"@type": 7, "author": [null, 3]}', ""]
)
def test_bad_json_ld_is_no_harm(json):
    assert Document(article_page(head=f'<script type="application/ld+json">{json}</script>'), URL).title


def test_canonical_url():
    def canonical(head):
        return Document(article_page(head=head), URL).canonical_url

    assert canonical('<link rel="canonical" href="/a?b=1">') == "https://www.daily.example/a?b=1"
    assert canonical('<meta property="og:url" content="https://daily.example/og">') == "https://daily.example/og"
    assert (
        canonical('<base href="https://other.example/x/"><link rel="Canonical" href="y">')
        == "https://other.example/x/y"
    )
    for bad in ("javascript:alert(1)", "http://[", "http://", "data:text/html,x", "https://a.example/" + "x" * 3000):
        assert canonical(f'<link rel="canonical" href="{bad}">') is None


def test_links_are_absolute_and_can_be_fetched():
    extra = '<a href="mailto:a@b.example">m</a><a href="#top">t</a><a href=" //cdn.example/x ">c</a><a href="http://[bad">b</a><a>n</a>'
    links = Document(article_page(extra=extra), URL).links
    found = {link.url: link.text for link in links}
    assert found["https://www.daily.example/story-3"] == "Another story number 3"
    assert "https://cdn.example/x" in found
    assert not any(url.startswith("mailto") for url in found)


def test_a_head_closed_early_by_a_tracking_picture_is_still_read():
    head = '<noscript><img src="https://t.example/p.gif"></noscript><meta property="og:title" content="Council to rebuild bridge">'
    assert Document(article_page(head=head), URL).head.first("og:title") == "Council to rebuild bridge"


def test_an_address_that_is_none_is_an_error():
    with pytest.raises(BadURL):
        extract(article_page(), "not an address")


def test_threads_do_not_disturb_each_other():
    pages = [article_page(extra=f"<p>{'Number ' + str(i)}</p>") for i in range(8)]
    wanted = [extract(page, URL) for page in pages]
    got: list[object] = [None] * 8

    def work(i):
        for _ in range(5):
            got[i] = extract(pages[i], URL)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == wanted


def test_languages():
    german = "Der Stadtrat hat am Dienstag beschlossen, die alte Brücke über den Fluss wieder aufzubauen. "
    chinese = "市议会周二决定重建自去年春天洪水以来一直关闭的旧石桥，工程师检查了桥拱后表示其中两个可以保留。"
    for code, text in (("de", german * 5), ("zh", chinese * 6)):
        page = f"<html><body><article><h1>x</h1><p>{text}</p><p>{text[5:]}</p></article></body></html>"
        assert Document(page, URL).language == code


def test_a_page_without_an_address_has_no_fields_made_from_it():
    found = extract(article_page())
    assert found.article_title == extract(article_page(), URL).article_title and found.text_content
    assert [found.url, found.normalized_url, found.canonical_domain, found.is_homepage, found.is_shortened] == [
        None
    ] * 5

"""What a style sheet names, and how its addresses are rewritten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.ingest.css import css_references, rewrite_css
from tests.support.growth import assert_linear


def test_style_sheets():
    text = """@import "a.css"; @IMPORT url(b.css) print; /* url(no.png) */ p { background: URL( 'c d.png' ) }
    @font-face { src: url(f.woff2?x#y), url("data:font/woff,x") } q { cursor: url() } @import 'unclosed"""
    assert list(css_references(text)) == [
        ("stylesheet", "a.css"),
        ("stylesheet", "b.css"),
        ("image", "c d.png"),
        ("font", "f.woff2?x#y"),
        ("image", "data:font/woff,x"),
    ]
    sheet = "a{b:url('c') url(c;v=1)}@import \"d\";@import url( d );q{r:image-set('c' 1x)}"
    new = {("image", "c"): "C", ("stylesheet", "d"): "D", ("image", "c;v=1"): "V"}
    assert (
        rewrite_css(sheet, lambda kind, address: new.get((kind, address)))
        == "a{b:url('C') url(V)}@import \"D\";@import url( D );q{r:image-set('C' 1x)}"
    )


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("a{b:url(/i;jsessionid=1.png)}", ["/i;jsessionid=1.png"]),
        (r"a{b:url(a\(1\).png)}", ["a(1).png"]),
        (r'a{b:url("a\"b.png")}', ['a"b.png']),
        (r"a{b:url(\61 .png)}", ["a.png"]),
        (
            r"a{b:url(\0.png) url(\d800.png) url('x\
y.png')}",
            ["\ufffd.png", "\ufffd.png", "xy.png"],
        ),
        ("@namespace url(http://www.w3.org/1999/xhtml); a{b:url(c)}", ["c"]),
        ("""a{content:"url(no.png)"; b:url(c)}""", ["c"]),
        ("""a{content:"/*"; b:url(c)} d{content:"*/"}""", ["c"]),
        ("""a{content:'it"s'; b:url(c)}""", ["c"]),
        ("""a{b:image-set("c" type("image/avif") 1x, url(d) 2x); content:"no"}""", ["c", "d"]),
        ("""a{b:-webkit-image-set( 'c' 1x) "no"}""", ["c"]),
        ("@import/**/url(c)layer(x) supports(display:grid);a{content:'no'}", ["c"]),
        ("@media print{@import 'c'} @charset 'utf-8'; @layer x;", ["c"]),
        ("a{b:url('c", []),
        ("a{b:url('c\n) d:url(e)", ["e"]),
        ("a{b:url(" + "c" * 4001 + ") d:url(e)}", ["e"]),
    ],
)
def test_what_a_style_sheet_names(text, addresses):
    assert [address for _, address in css_references(text)] == addresses


@given(st.text(alphabet="@import url('\")(/*; a", max_size=200))
def test_any_style_sheet_can_be_read(text):
    assert rewrite_css(text, lambda kind, address: None) == text


@pytest.mark.parametrize(
    ("start", "part"),
    [
        ("", "url("),
        ("", "@import "),
        ("", "/*"),
        ("@import url( ", " "),
        ("", "'"),
        ('"', "\\'"),
        ('"', '\\"'),
        ("", "url('\\'"),
    ],
)
def test_time_grows_with_the_style_sheet_and_no_faster(start, part):
    assert_linear(lambda text: list(css_references(text)), lambda count: start + part * count, 10_000)

"""Nothing in an inert page can make a browser connect; `tests/browser/test_inert.py` watches a real one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tearsheet.archive.inert import make_inert
from tests.support.growth import assert_linear

CONNECTING = (
    "link, [http-equiv], [ping], [srcdoc], [attributionsrc], [attributename], [src], [data], [action], [formaction], "
    "[href]:not([href^='#'])"
)


@pytest.mark.parametrize(
    ("page", "inert"),
    [
        ("<link rel=preconnect href=//a.example>", "<meta rel=preconnect href=# title=//a.example>"),
        ("<LINK/rel=dns-prefetch href=//a>", "<meta/rel=dns-prefetch href=# title=//a>"),
        ("<p>a<link\nrel=x>b", "<p>a<meta\nrel=x>b"),
        ("<meta http-equiv=refresh content=0>", "<meta xttp-equiv=refresh content=0>"),
        ('<iframe srcdoc = "&lt;link>">', '<iframe xrcdoc = "&lt;link>">'),
        ('<a href="/"ping=//a.example>x</a>', '<a href=# title="/"xing=//a.example>x</a>'),
        ("<img/attributionsrc=//a>", "<img/xttributionsrc=//a>"),
        ("<blink>shopping = fun</blink>", "<blink>shopping = fun</blink>"),
        ("<links>developing=1</links>", "<links>developing=1</links>"),
        ("<A href=/x target=_self>x</A>", "<A href=# title=/x target=_self>x</A>"),
        ("<svg><a/href=/x>", "<svg><a/href=# title=/x>"),
        ("<map><area href=/x></map>", "<map><area href=# title=/x></map>"),
        ("<a HREF = '#top'>", "<a HREF = '#top'>"),
        ("<use xlink:href=/a#b /><use href=#b />", "<use href=# title=/a#b /><use href=#b />"),
        ("<image href='data:image/png,x'>", "<image href='data:image/png,x'>"),
        ("<set attributeName=href to=//a>", "<set xttributeName=href to=//a>"),
        ("<object data=/x></object>", "<object xata=/x></object>"),
        ("<form action=/x><button formaction\n=/y>", "<form xction=/x><button xormaction\n=/y>"),
        ("<p data-src=/x>interaction = fun</p>", "<p data-src=/x>interaction = fun</p>"),
        ("<iframe src=//a></iframe>", "<iframe xrc=//a></iframe>"),
        ("<img src = 'data:image/png,x' alt=src>", "<img src = 'data:image/png,x' alt=src>"),
        ("<img src=\" DATA:,x\" srcset='/b 1x'>", "<img src=\" DATA:,x\" srcset='/b 1x'>"),
    ],
)
def test_what_connects_is_renamed_and_all_else_stays(page, inert):
    assert make_inert(page.encode()).decode() == inert


NAMES = (
    "<link <LiNk/ <meta <a <AREA <iframe <svg> <math> <noscript> <template> <title> <!-- --> <![CDATA[ ]]> <script> </script>"
    " < / > = ' \" & ping= PING srcdoc= target=_self src= http-equiv attributionsrc=x"
    " attributeName= data= action= rel=preconnect href=//e href=#x HREF= xlink:href=/ x &lt; link"
)
PIECES = st.sampled_from([*NAMES.split(), "\0", "\r", "\n", "\f", "\t", " "])


@given(st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=40))
def test_no_browser_finds_anything_that_connects(pieces):
    page = "".join(pieces).encode("utf-8", "replace")
    for scripting in (False, True):
        tree = LexborHTMLParser(make_inert(page), scripting=scripting)
        found = [node.html for node in tree.css(CONNECTING) if "http://www.w3.org/2000/svg" not in (node.html or "")]
        assert found == []


WORST = [
    "<a",
    "<a href=",
    "<link ping src",
    " ping ping\t",
    ' src=" ',
    " href = '&quot; ",
    '"href=&quot;#',
    " src" + " " * 99,
]


@pytest.mark.parametrize("piece", WORST)
def test_time_grows_with_the_page(piece):
    assert_linear(lambda text: make_inert(text.encode()), lambda count: piece * count, 200_000 // len(piece))


@pytest.mark.parametrize("start", [" ping", " src=", " href='"])
def test_time_grows_with_the_blanks(start):
    assert_linear(lambda text: make_inert(text.encode()), lambda count: start + " " * count, 200_000)

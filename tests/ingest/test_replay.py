"""A page with its parts put into it."""

from __future__ import annotations

import base64
import html
import re

import pytest

from tearsheet.ingest.replay import self_contained
from tearsheet.ingest.replay_parts import Part, rationed
from tests.support.growth import assert_linear

URL = "http://a.example/x/y"


def replay(page: str | bytes, **parts: str | bytes) -> str:
    """The page as it is replayed; a part `n` is at `/n`, a style sheet when its name ends in `css`."""
    found = {}
    for name, body in parts.items():
        kind = "text/css" if name.endswith("css") else "image/png"
        data = body.encode() if isinstance(body, str) else body
        found[f"http://a.example/{name}"] = Part(f"http://a.example/{name}", kind, data)
    data = page.encode() if isinstance(page, str) else page
    return self_contained(data, URL, found.get).decode()


def shown(text: str) -> list[str]:
    """What stands in a page as pictures and style sheets, in order; style sheets with what stands in them."""
    found = []
    for kind, data in re.findall(r"data:(image/png|text/css);(?:charset=utf-8;)?base64,([\w+/=]*)", text):
        content = base64.b64decode(data).decode()
        found.append(content)
        found += shown(content) if kind == "text/css" else []
    return found


@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("<img src=/a>", ["A"]),
        ("<img src=/a data-src=/missing>", ["A"]),
        ("<img src=/missing data-src=/a>", ["A"]),
        ("<img src='data:image/gif;base64,R0' data-src=/a>", ["A"]),
        ("<img src='data:image/gif;base64,R0' data-srcset='/b 1x'>", ["B"]),
        ("<img src=/missing srcset='/missing 1x, /b 2x'>", ["B"]),
        ("<img src=/a srcset='/b 2x'>", ["A"]),
        ("<img data-original=/a>", ["A"]),
        ("<picture><source data-srcset='/a'><img src=/b></picture>", ["A", "B"]),
        ("<noscript><img src=/a></noscript>", ["A"]),
        ("<svg><image xlink:href=/a /></svg>", ["A"]),
        ("<div style='background: URL(/a)'></div>", ["A"]),
        ("<style>@import '/c.css'; p { q: url(/a) }</style>", ["B", "A"]),
    ],
)
def test_what_is_seen(page, seen):
    text = replay(page, a="A", b="B", **{"c.css": "p{r:url(/b)}"})
    assert [item for item in shown(text) if "data:" not in item] == seen
    assert not re.search(r"""(?<!data-)(?:src|srcset|href)=["']?/""", text), "nothing leads out of the page"


def test_a_frame_has_its_page_inside_it_and_frames_in_circles_end():
    page = b'<p>in &amp; "out"</p><iframe src=/f></iframe><iframe src=/missing></iframe><img src=/a>'
    parts = {
        "http://a.example/f": Part("http://a.example/f", "text/html", page),
        "http://a.example/a": Part("http://a.example/a", "image/png", b"A"),
    }
    text = self_contained(page, URL, parts.get).decode()
    assert text.count("<iframe srcdoc=") == 1 and "<iframe src=" not in text
    inner = html.unescape(re.findall(r'srcdoc="([^"]*)"', text)[0])
    assert '<p>in &amp; "out"</p>' in inner and shown(inner) == ["A"]


def test_a_page_does_not_grow_without_end():
    parts = {"http://a.example/a": Part("http://a.example/a", "image/png", b"A" * 1000)}
    text = self_contained(b"<img src=/a>" * 1000, URL, rationed(parts, 5_000)).decode()
    assert text.count("data:image/png") == 5


def test_what_stands_in_the_page_stays():
    text = replay("<img src='data:image/gif;base64,R0'><a href=/elsewhere>x</a>")
    assert "data:image/gif;base64,R0" in text


def test_a_long_page_is_shown_to_its_end():
    text = replay(f"<p>{'x' * 13_000_000}</p><img src=/a>", a="A")
    assert shown(text) == ["A"]


def test_a_page_in_another_encoding():
    page = "<meta charset=shift_jis><p>日本語の新聞を毎日読むのは楽しい</p>".encode("shift_jis")
    assert "日本語の新聞を毎日読むのは楽しい" in replay(page)


def test_the_style_sheets_of_a_frame_stay_style_sheets():
    page = b"<meta name=a content=b><link rel=stylesheet href=/a.css><iframe src=/frame></iframe>"
    frame = Part("http://a.example/frame", "text/html", b"<meta name=c><link rel=stylesheet href=/a.css><p>x")
    sheet = Part("http://a.example/a.css", "text/css", b"p{}")
    text = self_contained(page, URL, {part.url: part for part in (frame, sheet)}.get).decode()
    around, _, inside = text.partition("srcdoc=")
    assert around.count("<style>@import url(data:text/css") == inside.count("style>@import url(data:text/css") == 1
    assert re.findall(r"(\w+) name=\W+(?:quot;)?[ac]\b", text) == ["meta", "meta"]
    assert "x-" not in re.sub(r"base64,[^\"&]*", "", text)


WORST = {
    "attributes in a style": ("<style><meta ", "a=&quot;b&quot; "),
    "attributes in a meta": ("<meta content='x\" ", 'a="b" '),
    "attributes in a script": ("<script><meta ", 'a="&quot; '),
    "style sheets": ("", "<link rel=stylesheet href=/s.css>"),
    "frames": ("", "<iframe src=/f></iframe>"),
    "pictures": ("", "<img src=/a srcset='/b 1x'>"),
    "styles": ("<p style='", "background:url(/a);"),
    "depth": ("", "<b><a href=x>"),
    "unfinished": ("", "<link rel="),
}


@pytest.mark.parametrize("name", WORST)
def test_time_grows_with_the_page(name):
    start, piece = WORST[name]
    parts = {f"http://a.example/{name}": Part(URL, "text/css", b"p{}") for name in ("s.css", "a", "b")}
    parts["http://a.example/f"] = Part(URL, "text/html", b"<p>x")
    assert_linear(lambda text: self_contained(text.encode(), URL, parts.get), lambda n: start + piece * n, 1_000)

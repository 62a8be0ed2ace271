"""No page, however broken, ends a worker, takes long or makes it grow."""

import gc
import random
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.extract import extract
from tearsheet.extract.guard import parse, tame
from tests.support.article_page import article_page

URL = "https://www.daily.example/news/council-bridge"
SECONDS = 30
"""Far above what any of these needs, even on a busy machine; without limits in the code they would need minutes."""

PAGE = article_page()
BINARY = random.Random(1).randbytes(200_000)
HOSTILE: dict[str, Callable[[], str]] = {
    "empty": lambda: "",
    "nulls": lambda: "\0" * 100_000 + PAGE,
    "nulls inside": lambda: PAGE.replace("e", "e\0"),
    "lone surrogate": lambda: PAGE.replace("bridge", "bri\ud800dge"),
    "deep div": lambda: "<div>" * 100_000 + "text",
    "deep inline": lambda: "<b><i><a href=x>" * 33_000 + "text " * 100,
    "deep list": lambda: "<ul><li>word " * 50_000,
    "deep table": lambda: "<table><tr><td>" * 30_000 + "text",
    "deep font": lambda: "<p><font>" * 20_000 + "text",
    "many paragraphs": lambda: "<p>some words of text here</p>" * 200_000,
    "many attributes": lambda: "<div " + " ".join(f"a{i}='{i}'" for i in range(50_000)) + ">text</div>",
    "long attribute": lambda: f"<p class='{'word-' * 200_000}'>text</p>",
    "long word": lambda: "<p>" + "x" * 5_000_000,
    "many lines": lambda: "some words of text<br><br>" * 300_000,
    "long line": lambda: "<p>" + "word, and another. " * 200_000,
    "many metas": lambda: "<meta name=a content=b>" * 100_000,
    "many times": lambda: "<time datetime='2020-01-01'>x</time>" * 50_000,
    "many headings": lambda: "<h1>a b c</h1>" * 50_000,
    "many links": lambda: "<a href='/x'>y</a> " * 100_000,
    "open comment": lambda: "<!--" + "-" * 1_000_000,
    "open script": lambda: "<script>" + "x" * 1_000_000,
    "open attribute": lambda: "<p class='" + "x" * 1_000_000,
    "entities": lambda: "<p>" + "&amp;&#x41;&nosuch;" * 100_000,
    "json bomb": lambda: '<script type="application/ld+json">' + "[" * 500_000 + "</script>" + PAGE,
    "copied elements": lambda: "<p>" + "".join(f"<font a={i}>" for i in range(900)) + "</p>" + "<p>x" * 200_000,
    "copied plain elements": lambda: "<p>" + "<b><i><u><s><em><tt><big>" * 3 + "</p>" + "<p>x" * 500_000,
    "attributes of one element": lambda: "".join(f"<html a{i}=1>" for i in range(300_000)),
    "useless end tags": lambda: "<div>" * 999 + "</article>" * 1_000_000,
    "deep behind useless end tags": lambda: "<div></b>" * 200_000,
    "deep behind barriers": lambda: "<div><table><td></div>" * 100_000,
    "deep drawing": lambda: "<svg>" + "<td>" * 200_000,
    "deep ruby": lambda: "<rt>" * 200_000,
    "deep options": lambda: "<dt><li><option>" * 60_000,
    "much at a depth": lambda: "<div>" * 999 + "<hr>" * 2_000_000,
    "many names": lambda: "".join(f"<p a{i}>" for i in range(500_000)),
    "many names in few tags": lambda: "".join(f"<p/{'/'.join(f'a{i}x{j}' for j in range(4000))}>" for i in range(100)),
    "many element names": lambda: "".join(f"<x{i}></x{i}>" for i in range(300_000)),
    "author bomb": lambda: f"<meta name=author content='{'by and ' * 50_000}'>" + PAGE,
}


def test_a_large_page_is_read_to_its_end():
    """What guards against hostile pages leaves long lists, drawings and careless markup as they are."""
    careless = "<li><p>A line of a list with <b>some words in it" * 30_000
    drawing = "<svg>" + "<path d='M 1 2' class=\"x\" />" * 9_000 + "</svg>"
    options = "<select>" + "<option>year" * 900 + "</select>"
    for page in (careless, drawing, options):
        html = f"<body><div>{page}</div><h1 id=last>The end</h1>".encode()
        assert parse(html).css_first("#last") is not None


def timed(html, **options):
    started = time.process_time()
    extract(html, URL, **options)
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages(name):
    timed(HOSTILE[name]())


@pytest.mark.parametrize(
    "page",
    [
        "".join(f"<p a{i:x}>" for i in range(64_000)),
        "".join(f"<p {' '.join(f'a{i:x}' for i in range(at, at + 200))}>" for at in range(0, 64_000, 200)),
        "".join(f"<x{i:x}></x{i:x}>" for i in range(64_000)),
    ],
    ids=["one in each tag", "many in each tag", "of elements"],
)
def test_the_parser_meets_no_more_names_than_it_reads_quickly(page):
    """It compares each new name with those before it: 128,000 took it 18 seconds."""
    tamed = tame(page.encode())
    assert len(set(re.findall(rb"[ax][0-9a-f]+", tamed))) < 45_000
    assert len(tamed) == 200_000


def test_fifty_megabytes():
    timed((PAGE.encode() + b"<p>" + b"filler " * 100) * (50_000_000 // (len(PAGE) + 700)))


def test_binary():
    timed(BINARY)
    timed(b"<html><p>" + BINARY)
    timed(b"\xff\xfe" + BINARY)


@pytest.mark.parametrize(
    "charset", ["utf-16", "gb18030", "shift_jis", "iso-2022-jp", "big5", "euc-kr", "no-such", "utf-7", "\0"]
)
def test_wrong_charset(charset):
    timed(PAGE.encode(), charset=charset)
    timed(PAGE.encode("utf-16-le"), charset=charset)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(PAGE)), st.integers(0, len(PAGE)))
def test_truncated_and_cut_open(a, b):
    extract(PAGE[:a], URL)
    extract(PAGE[:a] + PAGE[b:], URL)
    extract(PAGE.encode()[a:], URL)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "< > / = ' \" & ; - ! <p> </p> <div <table> <td> <a href= <svg> <math> <select> <template> <br> x é 漢".split()
        )
    )
)
def test_any_markup(parts):
    extract("".join(parts), URL)
    extract(" ".join(parts), URL)


def grown(pages):
    """Kilobytes by which the process is larger after this many different pages."""
    rng = random.Random(2)

    def one(i):
        name = f"c{rng.randrange(10**9)}-{rng.choice(('body', 'nav', 'x'))}"
        page = PAGE.replace("entry-content", name).replace("council", f"council{i}")
        extract(page.encode(), f"https://h{i}.example/a-{i}")

    for i in range(300):
        one(i)
    gc.collect()
    before = resident()
    for i in range(pages):
        one(i)
    gc.collect()
    return resident() - before


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("pages", "kilobytes"),
    [(600, 25_000), *(pytest.param(*sizes, marks=pytest.mark.slow) for sizes in ((1500, 25_000), (100_000, 60_000)))],
)
def test_memory_stays_flat(pages, kilobytes):
    assert grown(pages) < kilobytes

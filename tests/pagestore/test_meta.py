"""Lines of META files: the documented ones, and every edge that writers of old left behind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.pagestore.meta import (
    MetaLine,
    clean_id,
    clean_language,
    encode_url,
    md5_hex,
    parse_meta,
    url_md5,
)

ECONOMIST = "http://www.economist.com/"
ECONOMIST_MD5 = "afa4d5c1593694b1af94aad132a53da7"


def one(text: str) -> MetaLine:
    found = parse_meta(text)
    assert found.strays == []
    (line,) = found.lines
    return line


def fields(line: MetaLine):
    return line.md5, line.url, line.page_id, line.kind, line.language


def test_the_golden_digest():
    assert url_md5(ECONOMIST) == ECONOMIST_MD5
    assert url_md5(f"  {ECONOMIST}\n") == ECONOMIST_MD5
    assert md5_hex(ECONOMIST + "\n").startswith("f9c65134")


def test_the_documented_line():
    line = one(f"{ECONOMIST_MD5} {ECONOMIST} 180 url en\n")
    assert fields(line) == (ECONOMIST_MD5, ECONOMIST, "180", "url", "en")
    assert line.problems == []
    assert line.text() == f"{ECONOMIST_MD5} {ECONOMIST} 180 url en"


def test_the_line_of_an_item():
    url = "http://feeds.feedburner.com/blah.html"
    assert fields(one(f"{md5_hex(url)} {url} 158 rssitem en"))[2:] == ("158", "rssitem", "en")


def test_the_line_of_old():
    line = one(f"{ECONOMIST_MD5} {ECONOMIST}")
    assert fields(line) == (ECONOMIST_MD5, ECONOMIST, None, None, None)
    assert not line.migrated
    assert line.problems == ["id, kind and language are missing"]
    assert line.text() == f"{ECONOMIST_MD5} {ECONOMIST}"


@pytest.mark.parametrize("url", ["http://a.example/x y", "http://a.example/x\ty  z", "http://a.example/1 url en"])
def test_blanks_inside_a_url_of_a_new_line(url):
    line = one(f"{md5_hex(url)} {url} 7 url en")
    assert fields(line)[1:] == (url, "7", "url", "en")
    assert "blanks inside the URL" in line.problems
    assert " " not in line.key
    assert "\t" not in line.key


@pytest.mark.parametrize("url", ["http://a.example/x y", "http://a.example/x y z q", "http://a.example/a b 7 url en"])
def test_blanks_inside_a_url_of_an_old_line(url):
    line = one(f"{md5_hex(url)} {url}")
    assert fields(line) == (md5_hex(url), url, None, None, None)


def test_this_program_writes_blanks_percent_encoded():
    assert encode_url(" http://a.example/x y\t\u00a0z\r\n") == "http://a.example/x%20y%09%C2%A0z"
    assert encode_url("http://a.example/ü") == "http://a.example/ü"
    line = MetaLine(url_md5("http://a.example/x y"), encode_url("http://a.example/x y"), "1", "url", "en")
    assert fields(one(line.text())) == fields(line)
    assert one(line.text()).problems == []


def test_blank_lines_are_counted_and_hurt_nobody():
    found = parse_meta(f"\n\n{ECONOMIST_MD5} {ECONOMIST} 180 url en\n   \n")
    assert (len(found.lines), found.blanks, found.strays) == (1, 3, [])
    assert parse_meta("").blanks == 0


def test_a_line_break_between_digest_and_url():
    broken = md5_hex(ECONOMIST + "\n")
    line = one(f"{broken}\n{ECONOMIST}\n")
    assert fields(line) == (broken, ECONOMIST, None, None, None)
    assert line.raw == (broken, ECONOMIST)
    assert "a line break between digest and URL" in line.problems
    assert "the digest is of the URL with a line break" in line.problems


def test_a_line_break_does_not_swallow_its_neighbours():
    broken = md5_hex(ECONOMIST + "\n")
    good = f"{md5_hex('http://b.example/')} http://b.example/ 5 url it"
    found = parse_meta(f"{good}\n{broken}\n\n{ECONOMIST}\n{broken}\n{good}\n")
    assert [line.url for line in found.lines] == ["http://b.example/", ECONOMIST, "http://b.example/"]
    assert found.strays == [(5, broken)]


def test_unknown_kinds_and_languages_are_passed_through_and_named():
    line = one(f"{ECONOMIST_MD5} {ECONOMIST} 180 file xx-YY")
    assert fields(line)[2:] == ("180", "file", "xx-YY")
    assert len(line.problems) == 2


def test_a_digest_of_another_url_is_named():
    assert one(f"{'0' * 32} {ECONOMIST} 180 url en").problems == ["the digest is not of this URL"]


@pytest.mark.parametrize("line", ["hello", "../../etc/passwd http://x/ 1 url en", "A" * 32 + " http://x/", "x" * 5000])
def test_what_is_no_line_is_kept_aside(line):
    found = parse_meta(line + "\n")
    assert (found.lines, found.strays) == ([], [(1, line)])


@pytest.mark.parametrize(
    ("given", "clean"),
    [("en", "en"), ("EN", "en"), ("en-GB", "en"), ("", "und"), (None, "und"), ("1x", "und"), ("ü", "und")],
)
def test_languages(given, clean):
    assert clean_language(given) == clean


@pytest.mark.parametrize(
    ("given", "clean"), [(7, "7"), ("x7", "x7"), (None, "0"), ("", "0"), ("a b", "0"), ("a\n", "0")]
)
def test_ids(given, clean):
    assert clean_id(given) == clean


@given(st.text(max_size=200))
def test_no_text_raises(text):
    found = parse_meta(text)
    for line in found.lines:
        assert one(line.text()).key == line.key


@given(st.text(min_size=1).filter(str.strip), st.text(), st.sampled_from(["url", "rss", "rssitem"]), st.text())
def test_whatever_is_written_is_read(url, page_id, kind, language):
    line = MetaLine(url_md5(url), encode_url(url), clean_id(page_id), kind, clean_language(language))
    assert fields(one(line.text())) == fields(line)
    assert one(line.text()).problems == []


@given(st.binary(max_size=200))
def test_no_bytes_raise_and_all_can_be_written_back(data):
    text = data.decode("utf-8", "surrogateescape")
    for line in parse_meta(text).lines:
        assert line.text().encode("utf-8", "surrogateescape")

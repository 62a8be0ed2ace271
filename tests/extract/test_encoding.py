from hypothesis import given
from hypothesis import strategies as st

from tearsheet.extract import decode

GERMAN = "<p>Größe, Übermut, straße — für Bäume</p>"
RUSSIAN = "<p>Правительство объявило о новых мерах поддержки</p>"


def test_byte_order_mark_beats_everything():
    page = b"\xef\xbb\xbf" + GERMAN.encode()
    assert decode(page, "windows-1251") == (GERMAN, "utf-8")
    assert decode(b"\xff\xfe" + GERMAN.encode("utf-16-le"), "utf-8")[0] == GERMAN


def test_http_beats_the_page():
    page = '<meta charset="windows-1252">' + RUSSIAN
    assert decode(page.encode("windows-1251"), "windows-1251") == (page, "cp1251")


def test_the_page_beats_detection():
    page = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">' + RUSSIAN
    assert decode(page.encode("koi8-r")) == (page, "koi8-r")
    page = '<?xml version="1.0" encoding="iso-8859-15"?>€'
    assert decode(page.encode("iso-8859-15"))[0] == page


def test_utf8_without_any_word_is_no_latin1():
    assert decode(GERMAN.encode()) == (GERMAN, "utf-8")


def test_a_wrong_word_is_passed_over():
    assert decode(GERMAN.encode(), "iso-8859-1") == (GERMAN, "utf-8")
    page = '<meta charset="utf-8">' + RUSSIAN * 5
    assert decode(page.encode("windows-1251"))[0] == page
    assert decode(("<meta charset=gb2312>" + GERMAN * 3).encode())[1] == "utf-8"


def test_detection():
    assert decode((RUSSIAN * 5).encode("windows-1251"))[0] == RUSSIAN * 5


def test_labels_are_read_as_browsers_do():
    page = "<p>“quoted”</p>"
    assert decode(page.encode("cp1252"), "ISO-8859-1")[0] == page
    page = "<p>鎔镕</p>"
    assert decode(page.encode("gb18030"), "gb2312")[0] == page


def test_labels_that_are_no_encodings_are_ignored():
    for label in ("base64", "rot13", "no-such", "", "utf-8; x", "\x00", "unicode_escape", "idna"):
        assert decode(GERMAN.encode(), label)[0] == GERMAN


def test_a_cut_character_at_the_end_is_no_error():
    assert decode("größe".encode() * 30 + "ß".encode()[:1])[1] == "utf-8"


@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=20)))
def test_never_raises(data, charset):
    text, name = decode(data, charset)
    assert isinstance(text, str)
    "".encode(name)

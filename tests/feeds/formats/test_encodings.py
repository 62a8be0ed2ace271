"""Feeds in every encoding: declared, declared wrongly, not declared."""

from __future__ import annotations

import pytest

from tearsheet.feeds import parse_feed

TEXTS = {
    "ja": ("東京の新しい駅が開業、初日は大混雑", "首相は記者会見で景気対策について説明しました"),
    "ko": ("서울시는 오늘 새로운 교통 대책을 발표했다", "대통령은 기자회견에서 경제 정책을 설명했다"),
    "zh": ("北京今天宣布新的经济政策", "记者从会议上了解到相关情况，中国队获胜"),
    "tw": ("台北今天宣布新的經濟政策", "記者從會議上瞭解到相關情況"),
    "ru": ("Сегодня в Москве открылась новая станция", "Президент провёл пресс-конференцию об экономике"),
    "el": ("Η κυβέρνηση ανακοίνωσε νέα μέτρα", "για την οικονομία σήμερα στην Αθήνα"),
    "he": ("הממשלה הודיעה היום על צעדים", "חדשים לכלכלה בירושלים"),
    "ar": ("أعلنت الحكومة اليوم عن تدابير", "جديدة للاقتصاد في القاهرة"),
    "pl": ("Rząd ogłosił dziś nowe środki dla gospodarki", "Święta będą w przyszłym tygodniu, źródła mówią"),
    "tr": ("İstanbul'da şiddetli yağış bekleniyor, ağaç düştü", "Hükümet bugün ekonomi için yeni önlemler açıkladı"),
    "fr": ("Le président a annoncé hier", "de nouvelles mesures après l'été à Genève"),
}
ASIAN = [("ja", "euc_jp"), ("ja", "shift_jis"), ("ko", "euc_kr"), ("zh", "gb2312"), ("zh", "gb18030"), ("tw", "big5")]
OTHERS = [("ru", "koi8-r"), ("ru", "cp1251"), ("el", "cp1253"), ("he", "cp1255"), ("ar", "cp1256")]
LATIN = [("pl", "cp1250"), ("tr", "cp1254"), ("fr", "cp1252")]
UNICODE = [
    (language, name) for language in ("ja", "fr") for name in ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-be")
]


def _read(language: str, encoding: str, declaration: str, charset: str | None = None) -> None:
    first, second = TEXTS[language]
    document = f"{declaration}<rss><channel><title>{first}</title><item><title>{second}</title></item></channel></rss>"
    feed = parse_feed(document.encode(encoding), "http://site.test/feed", charset=charset)
    assert (feed.title, feed.entries[0].title) == (first, second)


@pytest.mark.parametrize(("language", "encoding"), ASIAN + OTHERS + LATIN + UNICODE)
def test_an_encoding_that_nobody_declares_is_known_by_its_looks(language: str, encoding: str) -> None:
    _read(language, encoding, "")
    _read(language, encoding, "<?xml version='1.0'?>")


@pytest.mark.parametrize(("language", "encoding"), ASIAN + OTHERS + LATIN)
def test_a_declaration_of_utf_8_is_not_believed_against_the_bytes(language: str, encoding: str) -> None:
    _read(language, encoding, "<?xml version='1.0' encoding='utf-8'?>")


@pytest.mark.parametrize(("language", "encoding"), ASIAN + OTHERS + [("fr", "utf-8"), ("ja", "utf-8")])
def test_a_declaration_of_latin_1_is_not_believed_against_the_bytes(language: str, encoding: str) -> None:
    _read(language, encoding, "<?xml version='1.0' encoding='iso-8859-1'?>")
    _read(language, encoding, "<?xml version='1.0'?>", "iso-8859-1")


@pytest.mark.parametrize(("language", "encoding"), ASIAN + OTHERS + LATIN + [("fr", "cp037"), ("fr", "mac_roman")])
def test_what_the_document_declares_is_believed_where_it_fits(language: str, encoding: str) -> None:
    _read(language, encoding, f"<?xml version='1.0' encoding='{encoding}'?>")


@pytest.mark.parametrize(("language", "encoding"), ASIAN + OTHERS + LATIN)
def test_so_is_what_http_states(language: str, encoding: str) -> None:
    _read(language, encoding, "<?xml version='1.0'?>", encoding)


def test_two_encodings_in_one_document_are_read_as_both() -> None:
    body = "<rss><channel><title>Zürich ".encode() + "Genève</title></channel></rss>".encode("cp1252")
    assert parse_feed(body, "http://site.test/feed").title == "Zürich Genève"
    assert parse_feed(b"\xef\xbb\xbf" + body, "http://site.test/feed").title == "Zürich Genève"


@pytest.mark.parametrize("name", ["base64", "rot13", "idna", "unicode_escape", "nothing", ""])
def test_a_document_does_not_choose_a_codec_that_is_no_encoding(name: str) -> None:
    body = f"<?xml version='1.0' encoding='{name}'?><rss><channel><title>Zürich</title></channel></rss>".encode()
    assert parse_feed(body, "http://site.test/feed", charset=name).title == "Zürich"

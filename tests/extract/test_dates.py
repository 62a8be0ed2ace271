from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.extract import Document
from tearsheet.extract.dates import find_day, plausible, url_date
from tests.support.article_page import article_page
from tests.support.growth import assert_linear

TODAY = date(2024, 6, 1)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-17T23:59:59-04:00", date(2024, 5, 17)),
        ("20240517", date(2024, 5, 17)),
        ("2024/5/7", date(2024, 5, 7)),
        ("2024年5月7日", date(2024, 5, 7)),
        ("17.05.2024, 10:15 Uhr", date(2024, 5, 17)),
        ("7. März 2024", date(2024, 3, 7)),
        ("May 17th, 2024", date(2024, 5, 17)),
        ("Fri, 17 May 2024 10:00:00 GMT", date(2024, 5, 17)),
        ("17 de mayo de 2024", date(2024, 5, 17)),
        ("05/17/2024", date(2024, 5, 17)),
        ("07/05/2024", date(2024, 5, 7)),
        ("1715904000", date(2024, 5, 17)),
        ("1715904000000", date(2024, 5, 17)),
        ("17 мая 2024", date(2024, 5, 17)),
        ("2024-13-45", None),
        ("31.02.2024", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_ways_of_writing(text, day):
    assert find_day(text) == day


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.example/2024/05/17/slug", date(2024, 5, 17)),
        ("https://a.example/news/2024-5-7-slug", date(2024, 5, 7)),
        ("https://a.example/20240517/slug", date(2024, 5, 17)),
        ("https://a.example/meldungen/29-10-2021", date(2021, 10, 29)),
        ("https://a.example/2024/05/slug", None),
        ("https://a.example/article-20249999", None),
        ("https://a.example/id/120240517123", None),
    ],
)
def test_days_in_addresses(url, day):
    assert url_date(url) == day


def test_never_more_than_90_days_ahead():
    assert plausible(date(2024, 8, 30), TODAY)
    assert not plausible(date(2024, 8, 31), TODAY)
    assert not plausible(date(1990, 1, 1), TODAY)


def found(head="", extra="", url="https://a.example/x"):
    return Document(article_page(head=head, extra=extra), url, today=TODAY).publication_date


def test_where_it_came_from():
    meta = '<meta property="article:published_time" content="2024-05-02">'
    assert found(url="https://a.example/2024/05/01/x", head=meta) == (date(2024, 5, 1), "url")
    assert found(head=meta) == (date(2024, 5, 2), "meta")
    assert found(extra='<time itemprop="datePublished" datetime="2024-05-03">x</time>') == (date(2024, 5, 3), "time")
    assert found(extra='<p class="date">Published 4 May 2024</p>') == (date(2024, 5, 4), "text")
    assert found() is None


def test_a_date_too_far_ahead_gives_way_to_the_next():
    head = '<meta property="article:published_time" content="2025-05-02"><meta name="date" content="2024-05-03">'
    assert found(head=head) == (date(2024, 5, 3), "meta")


@given(st.text(max_size=120))
def test_never_raises(text):
    find_day(text)
    url_date(text)


@pytest.mark.parametrize("part", ["1", "1.", "12 a ", "2024-", "May "])
@pytest.mark.parametrize("find", [find_day, lambda text: url_date("https://a.example/" + text)])
def test_linear_time(find, part):
    assert_linear(find, lambda count: part * count, 10_000)


WRITTEN_OUT = """
    Publicado em 12 de junho de 2026
    Publicado el 12 de junio del 2026
    Publié le 12 juin 2026 à 10h15
    Publié le vendredi 12 juin 2026
    Pubblicato il 12 giugno 2026
    Veröffentlicht am 12. Juni 2026
    Freitag, 12. Juni 2026, 10:15 Uhr
    Gepubliceerd op 12 juni 2026
    Opublikowano: 12 czerwca 2026
    Опубликовано 12 июня 2026 г.
    Опубліковано 12 червня 2026
    Yayınlanma: 12 Haziran 2026
    نشر في 12 يونيو 2026
    نشر في 12 حزيران 2026
    نشر في ١٢ يونيو ٢٠٢٦
    12 जून 2026
    Diterbitkan 12 Juni 2026
    ngày 12 tháng 6 năm 2026
    12 tháng 6, 2026
    发布时间：2026年6月12日
    2026년 6월 12일
    2026. 6. 12.
    Δημοσιεύτηκε 12 Ιουνίου 2026
    2026. június 12.
    Publikováno 12. června 2026
    Publicat pe 12 iunie 2026
    Publicerad 12 juni 2026
    Publisert 12. juni 2026
    Julkaistu 12. kesäkuuta 2026
    12 มิถุนายน 2569
    12 ביוני 2026
    ১২ জুন ২০২৬
    Publicat el 12 de juny de 2026
    2026 m. birželio 12 d.
    2026. gada 12. jūnijs
    12 юни 2026
    12. јун 2026.
    12. jun 2026.
    Diterbitkan pada Jun 12, 2026
    the 12th of June, 2026
    Friday, June 12th, 2026
    June 12 2026
    12-Jun-2026
    12/Jun/2026
    Jun. 12, 2026
    JUNE 12, 2026
    12 JUIN 2026
    12 juin, 2026
    Fri Jun 12 10:00:00 UTC 2026
    12 Jun, 2026
    12 ژوئن 2026
    12 जून, 2026
    12 ஜூன் 2026
    12 juni, 2026
    12. 6. 2026
    12.6.2026
    12 de Junho, 2026
    Lunes 12 de junio, 2026
    Postat la 12 iun. 2026
    12 giu 2026
    12 cze 2026
    12 čvn 2026
    12 Haz 2026
    12 jún 2026
    令和8年6月12日
    民國115年6月12日
    12 juny del 2026
    12 июн. 2026
    12 junija 2026
    12. lipnja 2026.
    12 jūnijs 2026
    12. juuni 2026
"""


@pytest.mark.parametrize("text", WRITTEN_OUT.strip().splitlines())
def test_days_written_out_in_many_languages(text):
    assert find_day(text) == date(2026, 6, 12)


def test_a_day_written_out_in_the_text_is_the_date_of_a_page_that_states_none():
    line = "<p>Texto de um artigo longo com muitas palavras, e mais algumas ainda.</p>"
    page = f"<h1>Um título</h1><p>Publicado em 12 de junho de 2026</p>{line * 10}"
    found = Document(page, "https://jornal.example/um-titulo", today=date(2026, 11, 1)).publication_date
    assert found == (date(2026, 6, 12), "text")


def test_listopada_is_november_as_in_polish():
    assert find_day("12 listopada 2025") == date(2025, 11, 12)

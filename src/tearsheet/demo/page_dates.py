"""Where a page says when it was published: every site does it in its own way, and one does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta, timezone
from html import escape

from tearsheet.demo.languages import LANGUAGES
from tearsheet.demo.model import Article
from tearsheet.demo.prose import reader_date


@dataclass(slots=True, frozen=True)
class DateMarkup:
    """What goes into the head of the page, and what the reader sees."""

    head: str = ""
    visible: str = ""


def _iso(article: Article) -> str:
    zone = timezone(timedelta(hours={"en": 0, "zh": 8, "ja": 9, "ar": 3, "pt": -3, "es": -3}.get(article.language, 2)))
    return article.published.astimezone(zone).isoformat()


def _words(article: Article) -> str:
    return escape(reader_date(LANGUAGES[article.language], article.published))


def _news_article(article: Article) -> dict[str, object]:
    return {
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": _iso(article),
        "author": {"@type": "Person", "name": article.author},
        "publisher": {"@type": "Organization", "name": article.site.name},
        "mainEntityOfPage": article.url,
    }


def _script(data: dict[str, object]) -> str:
    text = json.dumps(data, ensure_ascii=True).replace("</", "<\\/")
    return f'<script type="application/ld+json">{text}</script>\n'


def _json_ld(article: Article) -> DateMarkup:
    return DateMarkup(_script({"@context": "https://schema.org"} | _news_article(article)), _words(article))


def _json_ld_graph(article: Article) -> DateMarkup:
    graph: list[dict[str, object]] = [{"@type": "WebSite", "name": article.site.name}, _news_article(article)]
    return DateMarkup(_script({"@context": "https://schema.org", "@graph": graph}))


def _meta(article: Article) -> DateMarkup:
    return DateMarkup(f'<meta property="article:published_time" content="{_iso(article)}">\n', _words(article))


def _dublin_core(article: Article) -> DateMarkup:
    return DateMarkup(f'<meta name="DC.date.issued" content="{article.published:%Y-%m-%d}">\n')


def _time(article: Article) -> DateMarkup:
    return DateMarkup(visible=f'<time datetime="{_iso(article)}" class="published">{_words(article)}</time>')


def _microdata(article: Article) -> DateMarkup:
    return DateMarkup(visible=f'<span itemprop="datePublished" content="{_iso(article)}">{_words(article)}</span>')


def _text(article: Article) -> DateMarkup:
    label = escape(LANGUAGES[article.language].phrases.published)
    return DateMarkup(visible=f'<span class="date">{label} {_words(article)}</span>')


def _nothing(article: Article) -> DateMarkup:
    return DateMarkup()


STYLES: dict[str, Callable[[Article], DateMarkup]] = {
    "json-ld": _json_ld,
    "json-ld-graph": _json_ld_graph,
    "meta": _meta,
    "dc": _dublin_core,
    "time": _time,
    "microdata": _microdata,
    "text": _text,
    "url": _nothing,
    "none": _nothing,
}


def date_markup(article: Article) -> DateMarkup:
    """The date as the article's site writes it."""
    return STYLES[article.site.date_style](article)

"""The pages of a paper: its articles, its front page and its sections, with everything around an article."""

from __future__ import annotations

import random
from collections.abc import Sequence
from html import escape

from tearsheet.demo.addresses import slug
from tearsheet.demo.languages import EVENTS, LANGUAGES, Language
from tearsheet.demo.model import Article, Paragraph, Reply, Site, html_reply, plain_text
from tearsheet.demo.page_dates import date_markup
from tearsheet.demo.prose import person


def encode_page(html: str, site: Site, language: str) -> Reply:
    """A page in the site's charset, with the headers that the site sends."""
    charset = site.charset(language)
    stated = f"; charset={charset}" if site.charset_in in ("header", "both") else ""
    return html_reply(html.encode(charset, "xmlcharrefreplace"), f"text/html{stated}", compress=site.compress)


def section_path(language: Language, event: str) -> str:
    """The address of a section's page."""
    return f"/{slug(language.events[event].section)}/"


def _head(site: Site, language: Language, title: str, feeds: Sequence[tuple[str, str]], more: str = "") -> str:
    meta = f'<meta charset="{site.charset(language.code)}">\n' if site.charset_in in ("meta", "both") else ""
    alternates = "".join(f'<link rel="alternate" type="{escape(kind)}" href="{escape(url)}">\n' for url, kind in feeds)
    return (
        f'<!DOCTYPE html>\n<html lang="{language.code}" dir="{language.direction}">\n<head>\n{meta}'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f'<link rel="stylesheet" href="/static/paper.css">\n{alternates}{more}</head>\n'
    )


def _top(site: Site, language: Language) -> str:
    items = "".join(
        f'<li><a href="{section_path(language, event)}">{escape(language.events[event].section)}</a></li>'
        for event in EVENTS
    )
    home = escape(language.phrases.home)
    return (
        f'<div class="bar"><div><span>{site.host}</span><span>18 °C</span></div></div>\n<header class="masthead">'
        f'<a href="/">{escape(site.name)}</a><p>{escape(language.phrases.motto)}</p></header>\n'
        f'<nav><ul><li><a href="/">{home}</a></li>{items}</ul></nav>\n'
    )


def _bottom(site: Site, language: Language) -> str:
    phrases = language.phrases
    return (
        f"<footer><div>© {escape(site.name)} · {escape(phrases.imprint)}</div></footer>\n"
        f'<div class="cookies" role="dialog"><span>{escape(phrases.cookies)}</span>'
        f"<button onclick=\"this.closest('.cookies').remove()\">{escape(phrases.accept)}</button></div>\n</body>\n</html>\n"
    )


def _list_box(heading: str, articles: Sequence[Article], tag: str = "ul") -> str:
    items = "".join(f'<li><a href="{escape(article.url)}">{escape(article.title)}</a></li>' for article in articles)
    return f'<section class="related"><h3>{escape(heading)}</h3><{tag}>{items}</{tag}></section>' if items else ""


def _paragraph(paragraph: Paragraph) -> str:
    return "".join(
        f'<a href="{escape(span.href)}">{escape(span.text)}</a>' if span.href else escape(span.text)
        for span in paragraph
    )


def _body(article: Article, paragraphs: Sequence[Paragraph]) -> str:
    if article.site.markup == "divs":
        inner = "\n".join(f'<div class="row"><p>{_paragraph(paragraph)}</p></div>' for paragraph in paragraphs)
        return f'<div class="story-body">\n{inner}\n</div>'
    attribute = ' itemprop="articleBody"' if article.site.markup == "microdata" else ""
    inner = "\n".join(f"<p>{_paragraph(paragraph)}</p>" for paragraph in paragraphs)
    return f'<div class="text"{attribute}>\n{inner}\n</div>'


def _comments(article: Article, language: Language) -> str:
    rng = random.Random(f"comments/{article.number}")
    remarks = rng.sample(language.phrases.comment, rng.randint(0, 3))
    rows = "".join(f"<p><b>{escape(person(language, rng))}</b><br>{escape(remark)}</p>" for remark in remarks)
    return (
        f'<section class="comments" id="comments"><h3>{escape(language.phrases.comments)}</h3>{rows}</section>'
        if rows
        else ""
    )


def article_page(
    article: Article,
    paragraphs: Sequence[Paragraph],
    related: Sequence[Article],
    most_read: Sequence[Article],
    feeds: Sequence[tuple[str, str]],
) -> str:
    """The page of an article, as its site makes pages."""
    site, language = article.site, LANGUAGES[article.language]
    phrases = language.phrases
    dates = date_markup(article)
    summary = plain_text(paragraphs[0]) if paragraphs else ""
    image = picture_path(article)
    head = (
        f'<link rel="canonical" href="{escape(article.url)}">\n{dates.head}'
        f'<meta name="description" content="{escape(summary[:180])}">\n'
        f'<meta property="og:type" content="article">\n<meta property="og:title" content="{escape(article.title)}">\n'
        f'<meta property="og:site_name" content="{escape(site.name)}">\n'
        f'<meta property="og:image" content="http://{article.host}{image}">\n'
    )
    tag, scope = (
        ("article", ' itemscope itemtype="https://schema.org/NewsArticle"') if site.markup != "divs" else ("div", "")
    )
    byline = " · ".join(part for part in (f"{escape(phrases.by)} {escape(article.author)}", dates.visible) if part)
    section = escape(language.events[article.event].section)
    return (
        _head(site, language, f"{article.title} | {site.name}", feeds, head)
        + f'<body>\n{_top(site, language)}<main>\n<{tag} class="story"{scope if site.markup == "microdata" else ""}>\n'
        + f'<div class="kicker">{section}</div>\n<h1>{escape(article.title)}</h1>\n<div class="byline">{byline}</div>\n'
        + f'<figure><img src="{image}" alt="" width="960" height="480">'
        + f"<figcaption>{escape(phrases.picture)}</figcaption></figure>\n"
        + f"{_body(article, paragraphs)}\n{_comments(article, language)}\n</{tag}>\n<aside>"
        + f"{_list_box(phrases.related, related)}{_list_box(phrases.most_read, most_read, 'ol')}</aside>\n</main>\n"
        + _bottom(site, language)
    )


def picture_path(article: Article) -> str:
    """The address of an article's picture at its site."""
    return f"/media/{article.event}-{article.number}.svg"


def front_page(
    site: Site,
    language: Language,
    articles: Sequence[tuple[Article, str]],
    feeds: Sequence[tuple[str, str]],
    heading: str = "",
) -> str:
    """The front page, or a section's page: the newest articles with their first sentences."""
    title = f"{heading} | {site.name}" if heading else site.name
    lead = "".join(_card(article, teaser, "lead") for article, teaser in articles[:1])
    cards = "".join(_card(article, teaser, "card") for article, teaser in articles[1:9])
    box = _list_box(language.phrases.most_read, [article for article, _ in articles[9:17]], "ol")
    name = f"<h3>{escape(heading)}</h3>" if heading else ""
    return (
        f"{_head(site, language, title, feeds)}<body>\n{_top(site, language)}<main>\n<div>{name}{lead}"
        f'<div class="grid">{cards}</div></div>\n<aside>{box}</aside>\n</main>\n{_bottom(site, language)}'
    )


def _card(article: Article, teaser: str, kind: str) -> str:
    section = escape(LANGUAGES[article.language].events[article.event].section)
    return (
        f'<div class="{kind}"><a href="{escape(article.url)}"><img src="{picture_path(article)}" alt=""></a>'
        f'<div class="kicker">{section}</div><h2><a href="{escape(article.url)}">{escape(article.title)}</a></h2>'
        f"<p>{escape(teaser)}</p></div>\n"
    )

"""Good articles that are hard to fetch: slow, moved, failing at first, cut short or with a wrong charset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tearsheet.demo.cases import Case
from tearsheet.demo.links import old_path, short_url
from tearsheet.demo.model import Article, Manner, Reply, Route, redirect

SLOW_SECONDS = 0.4
_HTML = ("Content-Type", "text/html; charset=utf-8")


def sorry(status: int, *headers: tuple[str, str]) -> Reply:
    """An error page."""
    return Reply(status, (_HTML, *headers), f"<html><body><h1>{status}</h1></body></html>".encode())


_FIRST_ANSWERS: dict[Case, tuple[Reply, ...]] = {
    Case.ERROR_ONCE: (sorry(500),),
    Case.UNAVAILABLE_TWICE: (sorry(503, ("Retry-After", "1")), sorry(503, ("Retry-After", "1"))),
    Case.BUSY_ONCE: (sorry(429, ("Retry-After", "1")),),
    Case.RESET_ONCE: (Reply(manner=Manner.RESET),),
}


def entry_link(case: Case, article: Article) -> str:
    """The address by which the feed lists the article."""
    if case is Case.MOVED:
        return f"http://{article.host}{old_path(article.number)}"
    if case is Case.CHAIN:
        return f"http://{article.host}{chain_path(article)}"
    if case is Case.SHORTENED:
        return short_url(article.number)
    return article.url


def chain_path(article: Article) -> str:
    """The first address of a chain: it leads to the shortener, that to the `www.` name, and that to the page."""
    return f"/out/click-{article.number}.html"


def article_route(case: Case, article: Article, page: Callable[[], Reply]) -> Route:
    """What the server does at the article's own address."""
    if case in _FIRST_ANSWERS:
        return Route(page, _FIRST_ANSWERS[case])
    if case in _CHANGES:
        return Route(lambda: _CHANGES[case](page(), article))
    return Route(page)


def _slow(reply: Reply, article: Article) -> Reply:
    return replace(reply, delay=SLOW_SECONDS)


def _dripping(reply: Reply, article: Article) -> Reply:
    return replace(reply, manner=Manner.DRIP)


def _chunked(reply: Reply, article: Article) -> Reply:
    return replace(reply, manner=Manner.CHUNKED)


def _cut(reply: Reply, article: Article) -> Reply:
    """The page ends after most of the article, in the middle of a sentence; the transfer itself is complete."""
    end = reply.body.rfind(b"</p>")
    return replace(reply, body=reply.body[: end - 40])


def _wrong_charset(reply: Reply, article: Article) -> Reply:
    """The head of the page says ISO-8859-2, but the HTTP header is right."""
    charset = article.site.charset(article.language)
    lie = reply.body.replace(
        b"<head>\n", b'<head>\n<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">\n', 1
    )
    return replace(reply, headers=(("Content-Type", f"text/html; charset={charset}"),), body=lie)


_CHANGES: dict[Case, Callable[[Reply, Article], Reply]] = {
    Case.SLOW: _slow,
    Case.DRIP: _dripping,
    Case.CHUNKED: _chunked,
    Case.CUT: _cut,
    Case.WRONG_CHARSET: _wrong_charset,
}


def detours(article: Article) -> dict[tuple[str, str], Route]:
    """Other addresses that lead to the article, by host and target. They exist for every article."""
    site = article.site
    _, _, host, path = short_url(article.number).split("/", 3)
    to_short = redirect(short_url(article.number), 302)
    to_www = redirect(f"http://www.{site.host}{article.path}" if article.host == site.host else article.url)
    to_path = redirect(article.path)  # a relative Location
    return {
        (article.host, old_path(article.number)): Route(lambda: to_path),
        (article.host, chain_path(article)): Route(lambda: to_short),
        (host, f"/{path}"): Route(lambda: to_www),
    }

"""A small web of news sites, generated from a seed number, that knows what must become of every link in its feeds.

The same numbers give the same bytes, in every process and on every machine. Nothing here uses the pipeline: the newsroom is
the ground truth for the pipeline.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from tearsheet.demo.articles import make_articles
from tearsheet.demo.cases import Case
from tearsheet.demo.entries import add_faults, choose_cases, list_articles, make_feeds, repeat_articles, settle
from tearsheet.demo.expectation import Expectation, expect
from tearsheet.demo.faults import ROBOTS_FOLDER
from tearsheet.demo.feed_formats import CONTENT_TYPES, render_feed
from tearsheet.demo.languages import EVENTS, LANGUAGES
from tearsheet.demo.links import make_links
from tearsheet.demo.model import (
    Article,
    Feed,
    FeedItem,
    Link,
    LinkKind,
    Manner,
    Paragraph,
    Reply,
    Route,
    Site,
    html_reply,
    plain_text,
    redirect,
)
from tearsheet.demo.obstacles import article_route, detours, sorry
from tearsheet.demo.pages import article_page, encode_page, front_page, picture_path, section_path
from tearsheet.demo.pictures import picture
from tearsheet.demo.prose import write_body
from tearsheet.demo.sites import CLOSED_HOST, SHORTENER, make_sites
from tearsheet.demo.styles import style_sheet

LEAST_SITES = 2
LEAST_ARTICLES = 40
DEFAULT_TODAY = date(2026, 6, 30)


class Newsroom:
    """Sites, articles, links and feeds. `articles` are in feeds and can be fetched; an eighth more can only be reached by links."""

    def __init__(self, seed: int = 1, sites: int = 8, articles: int = 120, *, today: date = DEFAULT_TODAY) -> None:
        if sites < LEAST_SITES or articles < LEAST_ARTICLES:
            raise ValueError(f"a newsroom needs at least {LEAST_SITES} sites and {LEAST_ARTICLES} articles")
        self.seed = seed
        self.today = today
        self.sites: tuple[Site, ...] = make_sites(sites)
        written = make_articles(self.sites, articles, max(1, articles // 8), today, self._random("articles"))
        self._cases = choose_cases(written, self._random("cases"))
        self.articles: tuple[Article, ...] = settle(written, self._cases)
        self.links: tuple[Link, ...] = make_links(self.articles, self._random("links"))
        self._links_of: dict[int, list[Link]] = defaultdict(list)
        for link in self.links:
            self._links_of[link.source].append(link)
        self._routes: dict[tuple[str, str], Route] = {}
        self.feeds: list[Feed] = make_feeds(self.sites)
        self.broken_feeds: dict[str, str] = {}
        self._sites_by_host = {host: site for site in self.sites for host in site.hosts}
        self._site_names = {article.number: article.site.name for article in self.articles}
        self._shelves: dict[tuple[str, str], list[Article]] = defaultdict(list)
        self._body = lru_cache(maxsize=2048)(self._write_body)
        self._lay_out()

    def _random(self, purpose: str) -> random.Random:
        return random.Random(f"{self.seed}/{purpose}")

    # What a test or a person asks

    def expectation(self) -> Expectation:
        """What must become of every entry of every feed, and the totals."""
        return expect(self.feeds, self.articles)

    def body(self, article: Article) -> tuple[Paragraph, ...]:
        """The paragraphs of an article, with the links in them."""
        return self._body(article.number)

    def text(self, article: Article) -> str:
        """The text of an article as a reader sees it, one line a paragraph."""
        return "\n".join(plain_text(paragraph) for paragraph in self.body(article))

    def links_of(self, article: Article) -> list[Link]:
        """The links in an article's page."""
        return self._links_of[article.number]

    @property
    def hosts(self) -> list[str]:
        """Every host name that is served."""
        return [*self._sites_by_host, SHORTENER]

    @property
    def closed_hosts(self) -> list[str]:
        """Host names where a connection must be refused."""
        return [CLOSED_HOST]

    def find(self, host: str, target: str) -> tuple[tuple[str, str], Route]:
        """What to do for a request, and the key under which it is counted. Unknown addresses are answered with 404."""
        site = self._sites_by_host.get(host)
        key = self._match(host, target)
        if key is None and site is not None:
            if site.www == "redirect" and host in site.hosts[1:] and target != "/robots.txt":
                reply = redirect(f"http://{site.host}{target}", 301 if host.startswith("www.") else 302)
                return (host, target), _fixed(reply)
            key = self._match(site.host, target)
        return (key, self._routes[key]) if key else ((host, target), _fixed(sorry(404)))

    def _match(self, host: str, target: str) -> tuple[str, str] | None:
        """The address under which a target is known: without meaningless parameters, with or without a final slash."""
        path, _, query = target.partition("?")
        pairs = [pair for pair in parse_qsl(query) if pair[0] == "id"]
        for candidate in (target, f"{path}?{urlencode(pairs)}" if pairs else path, f"{path}/", path.rstrip("/")):
            if (host, candidate) in self._routes:
                return host, candidate
        return None

    # How it is laid out

    def _lay_out(self) -> None:
        for article in sorted(self.articles, key=lambda article: article.published, reverse=True):
            self._shelves[article.site.host, article.language].append(article)
        cases = self._cases
        list_articles(self.feeds, self.articles, cases)
        repeat_articles(self.feeds, self.articles, cases, self._random("repeats"))
        titles = {article.title.casefold() for article in self.articles}
        for fault in add_faults(self.feeds, self._page_maker, titles, self.today, self._random("faults")):
            self._routes |= fault.routes
        for article in self.articles:
            case = cases.get(article.number, Case.PLAIN)
            key = (article.host, article.path)
            self._routes[key] = article_route(case, article, self._page_maker(article))
            self._routes |= detours(article)
        for site in self.sites:
            self._lay_out_site(site)
        self._find_own_hosts()
        self._add_broken_feeds(self.sites[0])

    def _find_own_hosts(self) -> None:
        """Subdomains are part of their site: they serve its pictures and style too."""
        for host in sorted({host for host, _ in self._routes if host != SHORTENER} - self._sites_by_host.keys()):
            self._sites_by_host[host] = self._sites_by_host[host.partition(".")[2]]

    def _lay_out_site(self, site: Site) -> None:
        host = site.host
        feeds = [feed for feed in self.feeds if feed.site is site]
        self._routes[host, "/robots.txt"] = _fixed(_robots_txt(site, feeds))
        style = Reply(200, (("Content-Type", "text/css"),), style_sheet(site.theme).encode())
        self._routes[host, "/static/paper.css"] = _fixed(style)
        for feed in feeds:
            self._routes[host, feed.url.removeprefix(f"http://{host}")] = self._feed_route(feed)
        for code in reversed(site.languages):
            language = LANGUAGES[code]
            home = "/" if code == site.languages[0] else f"/{code}/"
            self._routes[host, home] = self._front(site, code, None)
            for event in EVENTS:
                self._routes[host, section_path(language, event)] = self._front(site, code, event)
        for article in self.articles:
            if article.site is site:
                self._routes[host, picture_path(article)] = _picture_route(article)

    def _front(self, site: Site, code: str, event: str | None) -> Route:
        def make() -> Reply:
            shelf = [a for a in self._shelves[site.host, code] if event is None or a.event == event][:20]
            heading = LANGUAGES[code].events[event].section if event else ""
            cards = [(article, self._teaser(article)) for article in shelf]
            return encode_page(front_page(site, LANGUAGES[code], cards, self._alternates(site), heading), site, code)

        return Route(make)

    def _add_broken_feeds(self, site: Site) -> None:
        whole = self._feed_route(self.feeds[0]).make()
        broken: dict[str, Reply] = {
            "missing": sorry(404),
            "gone": sorry(410),
            "error": sorry(500),
            "empty": Reply(200, (("Content-Type", "application/rss+xml"),)),
            "page": html_reply(
                b"<!DOCTYPE html><html><head><title>Feeds</title></head><body>Our feeds moved.</body></html>"
            ),
            "cut": Reply(200, whole.headers[:1], whole.body[: len(whole.body) // 2]),
            "loop": redirect("/feeds/loop.xml", 302),
            "hang": Reply(manner=Manner.HANG),
        }
        for name, reply in broken.items():
            self._routes[site.host, f"/feeds/{name}.xml"] = _fixed(reply)
            self.broken_feeds[f"http://{site.host}/feeds/{name}.xml"] = name

    def _feed_route(self, feed: Feed) -> Route:
        def summary(entry: FeedItem) -> str:
            return "" if entry.article is None else self._teaser(self.articles[entry.article])

        return Route(lambda: render_feed(feed, summary))

    # How pages are made

    def _write_body(self, number: int) -> tuple[Paragraph, ...]:
        article = self.articles[number]
        return write_body(article, self.links_of(article), self._site_names, self._random(f"body/{number}"))

    def _teaser(self, article: Article) -> str:
        return plain_text(self.body(article)[0])

    def _page_maker(self, article: Article) -> Callable[[], Reply]:
        def make() -> Reply:
            if article.number < 0:  # a stand-in for a fault
                paragraphs = write_body(article, (), {}, self._random(f"fault/{article.number}"))
            else:
                paragraphs = self.body(article)
            related = [
                self.articles[link.target]
                for link in self.links_of(article)
                if link.kind is LinkKind.RELATED and link.target is not None
            ]
            shelf = self._shelves[article.site.host, article.language][:5]
            html = article_page(article, paragraphs, related, shelf, self._alternates(article.site))
            return encode_page(html, article.site, article.language)

        return make

    def _alternates(self, site: Site) -> list[tuple[str, str]]:
        return [(feed.url, CONTENT_TYPES[feed.format].split(";")[0]) for feed in self.feeds if feed.site is site]


def _fixed(reply: Reply) -> Route:
    return Route(lambda: reply)


def _picture_route(article: Article) -> Route:
    headers = (("Content-Type", "image/svg+xml"),)
    return Route(lambda: Reply(200, headers, picture(article.event, article.number)))


def _robots_txt(site: Site, feeds: Iterable[Feed]) -> Reply:
    maps = "".join(f"Sitemap: {feed.url}\n" for feed in feeds if feed.format == "sitemap")
    text = f"User-agent: *\nDisallow: {ROBOTS_FOLDER}\nDisallow: /search\n{maps}"
    return Reply(200, (("Content-Type", "text/plain"),), text.encode())

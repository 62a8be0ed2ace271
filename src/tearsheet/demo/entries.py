"""What is in which feed: every listed article, the repeats, and the entries that lead nowhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from tearsheet.demo.articles import random_moment
from tearsheet.demo.cases import BAD_CASES, GOOD_CASES, OWN_HOST_CASES, Case
from tearsheet.demo.faults import Fault, make_fault
from tearsheet.demo.languages import EVENTS, LANGUAGES
from tearsheet.demo.links import old_path, short_url, with_tracking
from tearsheet.demo.model import Article, Feed, FeedFormat, FeedItem, Reply, Site
from tearsheet.demo.obstacles import entry_link
from tearsheet.demo.prose import headline

_FILES = {
    FeedFormat.RSS: "rss.xml",
    FeedFormat.ATOM: "atom.xml",
    FeedFormat.RDF: "index.rdf",
    FeedFormat.JSON: "feed.json",
    FeedFormat.SITEMAP: "news-sitemap.xml",
}

_SAME_ADDRESS: dict[Case, Callable[[Article], str]] = {
    Case.AGAIN_TRACKED: lambda article: with_tracking(article.url, "rss"),
    Case.AGAIN_WWW: lambda article: f"http://www.{article.site.host}{article.path}",
    Case.AGAIN_MOBILE: lambda article: f"http://m.{article.site.host}{article.path}",
    Case.AGAIN_HTTPS: lambda article: f"https://{article.site.host}{article.path}",
    Case.AGAIN_FRAGMENT: lambda article: f"{article.url}#comments",
    Case.AGAIN_PORT: lambda article: f"http://{article.site.host}:80{article.path}",
    Case.AGAIN_UPPER: lambda article: f"http://{article.site.host.title()}{article.path}",
}
"""Repeats within a feed. They follow the entry that they repeat, so that the `https` address is not the one fetched."""

_PRESS_CASES = (Case.AGAIN_OTHER_FEED, Case.AGAIN_SHORTENED, Case.AGAIN_MOVED)


def make_feeds(sites: Sequence[Site]) -> list[Feed]:
    """One empty feed for each language of each site, and one in which the second site lists other sites' articles."""
    feeds = []
    for site in sites:
        for language, feed_format in zip(site.languages, site.formats, strict=True):
            folder = f"/{language}" if len(site.languages) > 1 else ""
            url = f"http://{site.host}{folder}/feeds/{_FILES[feed_format]}"
            feeds.append(Feed(url, site, language, feed_format, site.name))
    second = sites[1]
    address = f"http://{second.host}/feeds/press-review.json"
    feeds.append(Feed(address, second, second.languages[0], FeedFormat.JSON, f"{second.name}: press review"))
    return feeds


def choose_cases(articles: Sequence[Article], rng: random.Random) -> dict[int, Case]:
    """Which listed articles have an obstacle; each obstacle occurs at least once, and once more for every 200 articles."""
    listed = [article.number for article in articles if article.listed]
    wanted = [case for case in GOOD_CASES if case is not Case.PLAIN] * (1 + len(listed) // 200)
    chosen = rng.sample(listed, len(wanted))
    return dict.fromkeys(listed, Case.PLAIN) | dict(zip(chosen, wanted, strict=True))


def settle(articles: Sequence[Article], cases: dict[int, Case]) -> tuple[Article, ...]:
    """Move articles whose server misbehaves to a subdomain of their own, because a polite client avoids such a host."""
    return tuple(
        replace(article, host=f"{cases[article.number]}.{article.site.host}")
        if cases.get(article.number) in OWN_HOST_CASES
        else article
        for article in articles
    )


def list_articles(feeds: Sequence[Feed], articles: Sequence[Article], cases: dict[int, Case]) -> None:
    """Put every listed article into the feed of its site and language, newest first."""
    by_edition = {(feed.site.host, feed.language): feed for feed in reversed(feeds)}
    for article in sorted(articles, key=lambda article: article.published, reverse=True):
        if article.listed:
            case = cases[article.number]
            link = entry_link(case, article)
            entry = FeedItem(link, article.title, article.published, case, article.number)
            by_edition[article.site.host, article.language].entries.append(entry)


def repeat_articles(
    feeds: Sequence[Feed], articles: Sequence[Article], cases: dict[int, Case], rng: random.Random
) -> None:
    """List some plain articles twice: in their own feed under another address, and in the press review."""
    plain = [articles[number] for number, case in cases.items() if case is Case.PLAIN]
    rng.shuffle(plain)
    for case, article in zip(list(_SAME_ADDRESS) * (1 + len(plain) // 200), plain, strict=False):
        _repeat_below(feeds, article, case)
    press = feeds[-1]
    others = [article for article in plain if article.site is not press.site]
    for position, article in enumerate(others[: max(9, len(others) // 12)]):
        case = _PRESS_CASES[position % len(_PRESS_CASES)]
        link = {
            Case.AGAIN_OTHER_FEED: article.url,
            Case.AGAIN_SHORTENED: short_url(article.number),
            Case.AGAIN_MOVED: f"http://{article.host}{old_path(article.number)}",
        }[case]
        title = f"{article.site.name}: {article.title}"
        press.entries.append(FeedItem(link, title, article.published, case, article.number, article.url))


def _repeat_below(feeds: Sequence[Feed], article: Article, case: Case) -> None:
    for feed in feeds:
        for position, entry in enumerate(feed.entries):
            if entry.article == article.number:
                again = replace(entry, link=_SAME_ADDRESS[case](article), case=case, original=entry.link)
                feed.entries.insert(position + 1, again)
                return


def add_faults(
    feeds: Sequence[Feed],
    page: Callable[[Article], Callable[[], Reply]],
    titles: set[str],
    today: date,
    rng: random.Random,
) -> list[Fault]:
    """Put one entry of every bad case into the feeds, in turn, and list the first dead one twice."""
    own_feeds = feeds[:-1]
    xml_feeds = [feed for feed in own_feeds if feed.format is FeedFormat.RSS] or own_feeds
    faults = []
    for number, case in enumerate(BAD_CASES):
        linkless = case in (Case.NO_LINK, Case.MAILTO)  # a sitemap cannot contain these
        feed = (xml_feeds if linkless else own_feeds)[number % len(xml_feeds if linkless else own_feeds)]
        event, when = rng.choice(EVENTS), random_moment(today, rng)
        title = headline(LANGUAGES[feed.language], event, rng, titles)
        stand_in = Article(
            -1 - number,
            feed.site,
            feed.language,
            event,
            title,
            "",
            when,
            f"/reports/{number}.html",
            feed.site.host,
            False,
        )
        fault = make_fault(case, feed.site, number, page(stand_in))
        entry = FeedItem(fault.link, title, when, case)
        position = rng.randint(0, len(feed.entries))
        feed.entries.insert(position, entry)
        if case is Case.NOT_FOUND:
            again = replace(entry, link=with_tracking(fault.link, "rss"), case=Case.AGAIN_TRACKED, original=fault.link)
            feed.entries.insert(position + 1, again)
        faults.append(fault)
    return faults

"""Who links to whom. The newsroom knows; a spider must find out."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from tearsheet.demo.model import Article, Link, LinkKind
from tearsheet.demo.sites import SHORTENER

_MOST_LINKS = 3
_DEAD_LINK_SHARE = 0.05


def short_url(number: int) -> str:
    """The address of an article at the link shortener."""
    return f"http://{SHORTENER}/{_short_code(number)}"


def _short_code(number: int) -> str:
    digits, code, rest = "0123456789abcdefghijklmnopqrstuvwxyz", "", number * 7919 + 1_700_000
    while rest:
        rest, digit = divmod(rest, 36)
        code = digits[digit] + code
    return code


def old_path(number: int) -> str:
    """Where the article was before its site moved it."""
    return f"/archive/old-{10_000 + number}.htm"


def with_tracking(url: str, medium: str = "social") -> str:
    """The same address with parameters that only say where the reader came from."""
    return f"{url}{'&' if '?' in url else '?'}utm_source=newsroom&utm_medium={medium}&fbclid=Iw{len(url)}x"


def make_links(articles: Sequence[Article], rng: random.Random) -> tuple[Link, ...]:
    """All links, by source. Authors cite other papers on the same event, mostly older ones, and much-cited ones most."""
    by_event: dict[str, list[Article]] = defaultdict(list)
    for article in articles:
        by_event[article.event].append(article)
    links: list[Link] = []
    for group in by_event.values():
        links += _cite(sorted(group, key=lambda article: article.published), rng)
    links += _related(articles, rng)
    return tuple(sorted(links, key=lambda link: (link.source, link.kind == LinkKind.RELATED)))


def _cite(group: list[Article], rng: random.Random) -> list[Link]:
    links: list[Link] = []
    cited: list[Article] = []
    for position, article in enumerate(group):
        targets: list[Article] = []
        for _ in range(rng.randint(0, _MOST_LINKS)):
            target = _choose_target(article, group, position, cited, rng)
            if target is not None and target not in targets:
                targets.append(target)
        cited += targets
        links += [_link(article, target, rng) for target in targets]
        if rng.random() < _DEAD_LINK_SHARE and group[0].site is not article.site:
            address = f"http://{group[0].site.host}/gone/{article.number}.html"
            links.append(Link(article.number, None, LinkKind.BODY, address))
    return links + _lead_to_unlisted(group, links, rng)


def _choose_target(
    article: Article, group: list[Article], position: int, cited: list[Article], rng: random.Random
) -> Article | None:
    """Mostly an older article, sometimes one that others cite already, now and then a newer one: never of the same paper."""
    for _ in range(4):
        kind = rng.random()
        if kind < 0.1 and position + 1 < len(group):
            target = group[rng.randrange(position + 1, len(group))]
        elif kind < 0.45 and cited:
            target = rng.choice(cited)
        elif position:
            target = group[rng.randrange(position)]
        else:
            return None
        if target.site is not article.site:
            return target
    return None


def _lead_to_unlisted(group: list[Article], links: list[Link], rng: random.Random) -> list[Link]:
    """Every article that no feed lists must be reachable: by a listed one, or by one that is itself reached."""
    listed = {article.number for article in group if article.listed}
    reached = {link.target for link in links if link.source in listed}
    sources = [article for article in group if article.listed]
    added = []
    for article in group:
        if article.listed or not sources:
            continue
        if article.number not in reached:
            others = [other for other in sources if other.site is not article.site]
            added.append(_link(rng.choice(others or sources), article, rng))
        sources.append(article)
    return added


def _link(source: Article, target: Article, rng: random.Random) -> Link:
    kind = LinkKind.CLEAR if rng.random() < 0.2 else LinkKind.BODY
    choice = rng.random()
    if choice < 0.1:
        url = short_url(target.number)
    elif choice < 0.18:
        url = f"http://{target.host}{old_path(target.number)}"
    elif choice < 0.26:
        url = with_tracking(target.url)
    elif choice < 0.34 and target.host == target.site.host:
        url = f"http://www.{target.site.host}{target.path}"
    else:
        url = target.url
    return Link(source.number, target.number, kind, url)


def _related(articles: Sequence[Article], rng: random.Random) -> list[Link]:
    """Links of the box beside each article, to a few others of the same site and language: on the same event if possible."""
    shelves: dict[tuple[str, ...], list[Article]] = defaultdict(list)
    for article in articles:
        if article.listed:
            shelves[article.site.host, article.language].append(article)
            shelves[article.site.host, article.language, article.event].append(article)
    links = []
    for article in articles:
        near = shelves[article.site.host, article.language, article.event]
        shelf = near if len(near) > 3 else shelves[article.site.host, article.language]
        others = [other for other in rng.sample(shelf, min(4, len(shelf))) if other is not article]
        links += [Link(article.number, other.number, LinkKind.RELATED, other.url) for other in others[:3]]
    return links

"""Which articles there are: where, when, in which language, about what, and under which address."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from tearsheet.demo.addresses import article_path
from tearsheet.demo.languages import EVENTS, LANGUAGES
from tearsheet.demo.model import Article, Site
from tearsheet.demo.prose import headline, person

DAYS = 28
"""How many days back the oldest article goes."""


def make_articles(
    sites: Sequence[Site], listed: int, unlisted: int, today: date, rng: random.Random
) -> tuple[Article, ...]:
    """All articles, those of the feeds first. Every site and language gets its turn, so that all have about as many."""
    editions = [(site, language) for site in sites for language in site.languages]
    titles: set[str] = set()
    addresses: set[str] = set()
    return tuple(
        _make_article(number, *editions[number % len(editions)], number < listed, today, titles, addresses, rng)
        for number in range(listed + unlisted)
    )


SILENT_PAPER = "lighthouse-ledger.example"
SILENT_DAYS = (7, 13)
"""How many days before the last one this paper fell silent, and since when: a gap, for those who look for gaps."""


def _make_article(
    number: int,
    site: Site,
    code: str,
    is_listed: bool,
    today: date,
    titles: set[str],
    addresses: set[str],
    rng: random.Random,
) -> Article:
    language = LANGUAGES[code]
    event = rng.choice(EVENTS)
    title = headline(language, event, rng, titles)
    when = _unless_silent(site, random_moment(today, rng), today)
    path = article_path(site.address_style, title, number, when, code, event)
    if site.host + path.lower() in addresses:  # two headlines may have the same ASCII form
        path = article_path(site.address_style, f"{number} {title}", number, when, code, event)
    addresses.add(site.host + path.lower())
    return Article(number, site, code, event, title, person(language, rng), when, path, site.host, is_listed)


def _unless_silent(site: Site, moment: datetime, today: date) -> datetime:
    """The moment, or that of the week before, when the paper printed twice as much as usual."""
    ago = (today - moment.date()).days
    silent = site.host == SILENT_PAPER and SILENT_DAYS[0] <= ago <= SILENT_DAYS[1]
    return moment - timedelta(days=SILENT_DAYS[1] - SILENT_DAYS[0] + 1) if silent else moment


def random_moment(today: date, rng: random.Random) -> datetime:
    """A time of the last four weeks. Around noon UTC, so that its date is the same in every inhabited time zone we print."""
    day = today - timedelta(days=rng.randrange(DAYS))
    return datetime.combine(day, time(rng.randint(6, 14), rng.randrange(60), rng.randrange(60)), UTC)

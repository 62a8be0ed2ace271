"""Adding feeds that a user names: their addresses, files of them, or pages, whose feeds are found and shown first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tearsheet import app as program
from tearsheet.cli.context import Globals, err, out, show
from tearsheet.cli.options import ask
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure
from tearsheet.feeds import catalogue
from tearsheet.urls import names_site

FOUND_COLUMNS = {
    "score": "score",
    "version": "kind",
    "entries": "entries",
    "newest": "newest",
    "url": "address",
    "how": "found",
}
_LOOKED_FOR = 5
"""How many feeds of a page are looked for, so that nobody waits long for those at the end of the list."""


def named_feeds(services: program.Services, arguments: Sequence[str], yes: bool) -> list[catalogue.NewFeed]:
    """The feeds that arguments name. Raises UsageError for what is neither a file nor an address, PartialFailure for a page
    without feeds, and UserError when the user does not want what was found.
    """
    named: list[catalogue.NewFeed] = []
    for argument in arguments:
        short = names_site(argument) and not Path(argument).exists()
        address = f"https://{argument}" if short else argument.strip()
        for feed in catalogue.read_feed_list(address if short else argument):
            a_page = (
                feed.url == address
                and (short or catalogue.may_be_page(feed.url))
                and not (services.begun and catalogue.is_known_feed(services.database, feed.url))
            )
            named.append(_feed_of_page(services, feed, yes, guessed=short) if a_page else feed)
    return named


def _feed_of_page(
    services: program.Services, given: catalogue.NewFeed, yes: bool, *, guessed: bool
) -> catalogue.NewFeed:
    """The feed that an address is, or the best one of the page that it is; `guessed` if it was typed without `https://`."""
    err.print(f"{given.url} may be a page: looking for its feeds …", style="dim")
    try:
        found = program.discover_feeds(services, given.url, _LOOKED_FOR, one_declared=True, asking=say_asked)
    except catalogue.NoSite as error:
        if guessed:
            raise NotFoundError(f"{error}; nothing was added: check it, or write the whole address") from error
        err.print(f"{error}. It is added as a feed all the same; its first poll says how it is.", style="yellow")
        return given
    if not found:
        raise PartialFailure(
            f"{given.url} is a web page, and no feed of it was found: look for one in a browser, and add its address"
        )
    return given if found[0].url == given.url else _chosen(given, found, yes)


def say_asked(url: str) -> None:
    """Show which place is asked for a feed: hosts are asked at their pace, and there may be many places."""
    if err.is_terminal and not Globals.quiet:
        err.show_progress(f"asking {url} …")


def _chosen(given: catalogue.NewFeed, found: Sequence[catalogue.DiscoveredFeed], yes: bool) -> catalogue.NewFeed:
    """The best feed of a page: asked for on a terminal, said elsewhere."""
    best = found[0]
    if err.is_terminal and not yes:
        show(found, FOUND_COLUMNS)
        ask(f"{given.url} is a web page. Add its feed {best.url}?", default=True, err=True)
    else:
        others = f" (1 of {len(found)}: `tearsheet feeds discover {given.url}` shows all)" if len(found) > 1 else ""
        err.print(f"{given.url} is a web page; its feed {best.url} is added{others}")
    return catalogue.NewFeed(best.url, name=best.title, homepage=given.url)


def add_and_tell(services: program.Services, new: Sequence[catalogue.NewFeed]) -> None:
    """Add feeds and say how many are new. Raises PartialFailure when some were refused."""
    tell(catalogue.add_feeds(services.database, new, utc_now()))


def tell(report: catalogue.AddReport) -> None:
    """Say how many feeds were added, and why others were not. Raises PartialFailure when some were refused."""
    changed = f", {how_many(len(report.changed), '', 'was')} changed" if report.changed else ""
    out.print(
        f"{how_many(len(report.added), 'feed')} added, {how_many(len(report.known), '', 'was')} known already{changed}"
    )
    for url, reason in report.refused:
        err.print(f"refused: {url[:200]}: {reason}")
    if report.refused:
        raise PartialFailure(f"{how_many(len(report.refused), 'feed', 'was')} refused: see above")

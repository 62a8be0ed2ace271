"""`tearsheet run`: the main job, in one command."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet.cli.adding import named_feeds
from tearsheet.cli.collecting import JsonOption, OnceOption, PortOption, WebOption, collect
from tearsheet.cli.context import Globals, err, reports_errors, services_for
from tearsheet.cli.options import YesOption
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.feeds import catalogue

FeedsArgument = Annotated[
    list[str] | None,
    typer.Argument(help="Feeds to add first: addresses of feeds or of sites, OPML or CSV files.", metavar="[FEED]…"),
]


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(run)


@reports_errors
def run(
    feeds: FeedsArgument = None,
    once: OnceOption = False,
    port: PortOption = None,
    web: WebOption = None,
    json: JsonOption = False,
    yes: YesOption = False,
) -> None:
    """Poll, fetch, parse, index, archive and serve the web pages, all in one, until stopped.

    A site's own page is taken to its feed, which is shown first. Without any feeds, the demo newsroom is collected instead, in a
    separate folder.
    """
    serves = not once if web is None else web
    if not feeds and _nothing_of_ones_own():
        _demo(once=once, port=port, web=serves, as_json=json)
        return
    with services_for(own=True, web__port=port) as services:
        for argument in feeds or []:
            named = named_feeds(services, [argument], yes)  # before the database is opened, which begins a folder
            report = catalogue.add_feeds(services.database, named, utc_now())
            err.print(f"{argument}: {_describe(report)}")
        if catalogue.count_feeds(services.database) or services.settings.feeds.remote:
            collect(services, once=once, web=serves, as_json=json)
            return
    _demo(once=once, port=port, web=serves, as_json=json)


def _nothing_of_ones_own() -> bool:
    """Whether there is nothing to collect from. Nothing is opened for this, and so no folder made for the demo's sake."""
    from tearsheet.settings import load_settings  # not needed for a help text, and slow to import

    settings = load_settings(Globals.data, Globals.flags)
    elsewhere = settings.feeds.remote or any(name.startswith("engines.") for name in settings.sources)
    return not elsewhere and program.holds_nothing(program.names_in(settings.data))


def _demo(*, once: bool, port: int | None, web: bool, as_json: bool) -> None:
    from tearsheet.cli.demo import run_demo  # seldom needed, and slow to import

    err.print("There are no feeds yet, so here is the demo newsroom.")
    run_demo(once=once, port=port, web=web, as_json=as_json)


def _describe(report: catalogue.AddReport) -> str:
    parts = [f"{how_many(len(report.added), 'feed')} added"]
    if report.known:
        parts.append(f"{len(report.known):,} known already")
    parts += [f"{url} refused: {reason}" for url, reason in report.refused]
    return ", ".join(parts)

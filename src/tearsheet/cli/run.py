"""`tearsheet run`: the main job, in one command."""

from __future__ import annotations

from typing import Annotated

import typer

from tearsheet.cli.collecting import JsonOption, OnceOption, PortOption, WebOption, collect
from tearsheet.cli.context import err, reports_errors, services_for
from tearsheet.clock import utc_now
from tearsheet.feeds import catalogue

FeedsArgument = Annotated[
    list[str] | None, typer.Argument(help="Feeds to add first: addresses, OPML or CSV files.", metavar="[FEED]…")
]


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(run)


@reports_errors
def run(
    feeds: FeedsArgument = None,
    once: OnceOption = False,
    port: PortOption = None,
    web: WebOption = True,
    json: JsonOption = False,
) -> None:
    """Poll, fetch, parse, index, archive and serve the web pages, all in one, until stopped.

    Without any feeds, the demo newsroom is collected instead, in a separate folder.
    """
    with services_for(begins=True, web__port=port) as services:
        for argument in feeds or []:
            report = catalogue.add_feeds(services.database, catalogue.read_feed_list(argument), utc_now())
            err.print(f"{argument}: {_describe(report)}")
        if not catalogue.count_feeds(services.database) and not services.settings.feeds.remote:
            from tearsheet.cli.demo import run_demo  # seldom needed, and slow to import

            err.print("There are no feeds yet, so here is the demo newsroom.")
            run_demo(once=once, port=port, web=web, as_json=json)
            return
        collect(services, once=once, web=web, as_json=json)


def _describe(report: catalogue.AddReport) -> str:
    parts = [f"{len(report.added)} feeds added"]
    if report.known:
        parts.append(f"{len(report.known)} known already")
    parts += [f"{url} refused: {reason}" for url, reason in report.refused]
    return ", ".join(parts)

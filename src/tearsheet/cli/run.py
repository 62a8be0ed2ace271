"""`tearsheet run`: the main job, in one command."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Annotated

import typer

from tearsheet.app import Collector, Services, Summary, summarise
from tearsheet.cli.context import INTERRUPTED, err, out, reports_errors, services_for, show
from tearsheet.cli.progress import Progress
from tearsheet.cli.status import read_depths
from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import AddReport, add_feeds, count_feeds, read_feed_list
from tearsheet.pipeline import Pipeline
from tearsheet.work import Service

FeedsArgument = Annotated[
    list[str] | None, typer.Argument(help="Feeds to add first: addresses, OPML or CSV files.", metavar="[FEED]…")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Stop when the feeds are polled and the queues are empty.")]
PortOption = Annotated[int | None, typer.Option(help="Port of the web pages. [default: 8700]")]
WebOption = Annotated[bool, typer.Option("--web/--no-web", help="Serve the web pages meanwhile.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


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

    Without any feeds, the demo newsroom is collected instead, in a folder of its own.
    """
    with services_for(web__port=port) as services:
        for argument in feeds or []:
            report = add_feeds(services.database, read_feed_list(argument), utc_now())
            err.print(f"{argument}: {_in_words(report)}", markup=False)
        if not count_feeds(services.database) and not services.settings.feeds.remote:
            from tearsheet.cli.demo import run_demo

            err.print("There are no feeds yet, so here is the demo newsroom.")
            run_demo(once=once, port=port, web=web, as_json=json)
            return
        collect(services, once=once, web=web, as_json=json)


def _in_words(report: AddReport) -> str:
    parts = [f"{len(report.added)} feeds added"]
    if report.known:
        parts.append(f"{len(report.known)} known already")
    parts += [f"{url} refused: {reason}" for url, reason in report.refused]
    return ", ".join(parts)


def collect(
    services: Services, *, once: bool, web: bool, as_json: bool, headline: str = "", pipeline: Pipeline | None = None
) -> Summary:
    """Run the collector with its progress and its web pages, then print what came of it."""
    collector = Collector(services, pipeline=pipeline)
    with services.exclusive("run"):
        extra: list[Service] = [Progress(collector, headline).run]
        if web:
            extra.append(web_service(services))
        asyncio.run(collector.run(once=once, services=extra))
        summary = summarise(services, asyncio.run(read_depths(services)))
    print_summary(summary, as_json=as_json)
    if collector.interrupted and not once:
        return summary
    if collector.interrupted:
        raise typer.Exit(INTERRUPTED)
    return summary


def web_service(services: Services) -> Service:
    """The web pages as a service. The port is taken now, so that a taken one is known before anything starts."""
    from tearsheet.web import bind, create_app, serve

    settings = services.settings.web
    listener = bind(settings.host, settings.port)
    err.print(f"Look at it:    http://{settings.host}:{settings.port}/", markup=False)
    app = create_app(services)

    async def run_server(stop: asyncio.Event) -> None:
        await serve(app, listener, stop)

    return run_server


@contextmanager
def served(services: Services, *, web: bool = True) -> Iterator[None]:
    """The web pages for as long as the block lasts, in a thread of their own: also between two runs of the collector."""
    if not web:
        yield
        return
    service = web_service(services)
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    thread = Thread(target=loop.run_until_complete, args=(service(stop),), name="web pages")
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def print_summary(summary: Summary, *, as_json: bool) -> None:
    """What was collected, and what was not and why."""
    if as_json:
        show([summary], {}, form="jsonl")
        return
    out.print(
        f"{summary.indexed:,} stories indexed and {summary.archived:,} archived "
        f"in {summary.archive_files:,} WARC files ({summary.archive_bytes / 1e6:,.1f} MB), from {summary.feeds:,} feeds"
    )
    for title, counts in (("dropped", summary.dropped), ("in quarantine", summary.quarantined)):
        if counts:
            out.print(f"{sum(counts.values()):,} {title}:")
            for reason, stories in sorted(counts.items(), key=lambda item: -item[1]):
                out.print(f"  {stories:>7,}  {reason}", markup=False)
    if summary.queued:
        out.print(f"{summary.queued:,} are still queued and go on with the next run.")

"""`tearsheet demo`: the real pipeline on a small newsroom that is served from this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tearsheet.app import Services
from tearsheet.cli.context import Globals, err, reports_errors
from tearsheet.cli.run import JsonOption, OnceOption, PortOption, WebOption, collect, served
from tearsheet.cli.topic import run_to_its_end, seed_from_index
from tearsheet.clock import utc_now
from tearsheet.demo import Expectation, Newsroom, NewsroomServer, serve_in_thread
from tearsheet.errors import NotFoundError, PartialFailure
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.log import set_up_logging
from tearsheet.settings import DEFAULT_DATA_FOLDER, Settings, load_settings
from tearsheet.topics import COMPLETED, NewTopic, store
from tearsheet.topics.snapshot import load_snapshot, write_export
from tearsheet.topics.spider import add_seeds

SeedOption = Annotated[int, typer.Option(help="The number that the newsroom is made from.")]

TOPIC = "corvane bridge"
TOPIC_QUERY = "corvane OR 科尔万 OR コルヴァン OR كورفان"
"""The event that most papers of the newsroom write about, in their scripts."""

DEMO_SETTINGS: dict[str, object] = {
    # Our own machine is asked, so there is no need to be slow; pages that hang on purpose are not waited for.
    "fetch.interval_seconds": 0.0,
    "fetch.per_host": 8,
    "fetch.timeout_seconds": 2.0,
    "fetch.max_bytes": 2_000_000,
    "feeds.interval_seconds": 0.0,
    "feeds.per_host": 8,
    "pipeline.retry_seconds": 0.2,
    "pipeline.max_retry_seconds": 1.0,
    "pipeline.import_seconds": 0.5,
    "archive.max_seconds": 15.0,
    "topics.seconds_per_media_fetch": 0.0,
}


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(demo)


@reports_errors
def demo(
    once: OnceOption = False,
    port: PortOption = None,
    web: WebOption = True,
    json: JsonOption = False,
    seed: SeedOption = 1,
    articles: Annotated[int, typer.Option(help="How many articles the newsroom publishes.")] = 120,
) -> None:
    """Collect a small newsroom of invented sites, served from this machine, with all that goes wrong on the web.

    Then one event is followed from story to story, and a map drawn of who links to whom.
    """
    run_demo(once=once, port=port, web=web, as_json=json, seed=seed, articles=articles)


def run_demo(*, once: bool, port: int | None, web: bool, as_json: bool, seed: int = 1, articles: int = 120) -> None:
    """Serve the newsroom, collect it in a folder of its own, map a topic, and compare with what the newsroom knows."""
    newsroom = Newsroom(seed, articles=articles)
    expected = newsroom.expectation()
    with serve_in_thread(newsroom) as server, Services(demo_settings(server, expected, port)) as services:
        _say_hello(newsroom, server, services)
        feeds = [NewFeed(feed.url, feed.name) for feed in server.feed_urls()]
        add_feeds(services.database, feeds, utc_now())
        with served(services, web=web):
            summary = collect(services, once=True, web=False, as_json=as_json, headline="demo newsroom")
            _map_topic(services)
            if not once:
                collect(services, once=False, web=False, as_json=as_json, headline="demo newsroom")
    if once:
        differences = compare(expected, summary.indexed, summary.archived, summary.dropped)
        if differences:
            raise PartialFailure("the demo did not end as the newsroom expects: " + "; ".join(differences))


def _map_topic(services: Services) -> None:
    """Follow the links between the stories about one event, and draw who links to whom. Done once for a data folder."""
    database = services.database
    try:
        topic = store.find_topic(database, TOPIC)
    except NotFoundError:
        new = NewTopic(TOPIC, TOPIC_QUERY)
        topic = store.create_topic(database, new, services.settings.topics.seconds_per_media_fetch)
        add_seeds(database, topic.id, seed_from_index(services, topic))
    if topic.state != COMPLETED:
        err.print(f"The topic “{TOPIC}”: following the links of its stories …", markup=False)
        topic, _ = run_to_its_end(services, topic)
    folder = services.data / "topics" / TOPIC.replace(" ", "-")
    frozen = load_snapshot(database, topic)
    write_export(frozen, folder, ["html", "csv", "gexf", "svg"])
    media = {story.media for story in frozen.stories}
    figures = f"{len(frozen.stories):,} stories of {len(media):,} sources, {len(frozen.links):,} links"
    err.print(f"The topic:     {figures}; map and tables: {folder / 'index.html'}", markup=False)


def demo_settings(server: NewsroomServer, expected: Expectation, port: int | None = None) -> Settings:
    """The settings of the demo: its own folder below the data folder, its own hosts, and no patience."""
    folder = Globals.data or Path(DEFAULT_DATA_FOLDER)
    flags = DEMO_SETTINGS | {
        "fetch.connect_to": server.connect_to(),
        "fetch.manners_off": dict.fromkeys(server.connect_to(), "pace retry-after failing"),
        "pipeline.max_retries": expected.least_retries + 1,
        "web.port": port,
    }
    settings = load_settings(folder / "demo", flags | Globals.flags)
    set_up_logging(settings.log.level, settings.log.format)
    return settings


def compare(expected: Expectation, indexed: int, archived: int, dropped: dict[str, int]) -> list[str]:
    """Where the counts differ from what the newsroom knows, in words."""
    totals = expected.totals
    wanted = {f"{stage}/{reason}": count for (stage, reason), count in totals.dropped.items()}
    pairs = [("indexed", totals.indexed, indexed), ("archived", totals.archived, archived)]
    pairs += [(name, wanted.get(name, 0), dropped.get(name, 0)) for name in sorted(wanted.keys() | dropped.keys())]
    return [f"{name}: {found} instead of {want}" for name, want, found in pairs if want != found]


def _say_hello(newsroom: Newsroom, server: NewsroomServer, services: Services) -> None:
    sites = len({feed.url.split("/")[2] for feed in server.feed_urls()})
    err.print(f"The newsroom:  {sites} invented sites at {server.address}/", markup=False)
    err.print(f"Data folder:   {services.settings.data}", markup=False)
    err.print("Your own feeds: tearsheet run https://example.com/feed.xml list.opml", markup=False)
    err.print('           or: make run FEEDS="https://example.com/feed.xml list.opml"', markup=False)

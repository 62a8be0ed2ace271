"""The demo: the real pipeline and a topic, run on a newsroom served from this machine, in a separate folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tearsheet.app.places import TOPICS
from tearsheet.app.services import Services
from tearsheet.app.summary import Summary
from tearsheet.app.topics import Report, run_topic_to_its_end, seed_from_index
from tearsheet.clock import utc_now
from tearsheet.demo import Expectation, NewsroomServer
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import DEFAULT_DATA_FOLDER, Settings, load_settings
from tearsheet.topics import COMPLETED, NewTopic, Topic, store
from tearsheet.topics.snapshot import load_snapshot, write_export
from tearsheet.topics.spider import add_seeds

TOPIC = "corvane bridge"
TOPIC_QUERY = "corvane OR 科尔万 OR コルヴァン OR كورفان"
"""The event that most papers of the newsroom write about, in the script of each."""

DEMO_SETTINGS: dict[str, object] = {
    # All requests go to our own machine, so there is no need to be slow; pages that hang on purpose are not waited for.
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


@dataclass(slots=True, frozen=True)
class TopicMap:
    """What the map of the demo's topic shows, and where it is."""

    stories: int
    sources: int
    links: int
    folder: Path


def demo_settings(
    folder: Path | None, server: NewsroomServer, expected: Expectation, flags: Mapping[str, object]
) -> Settings:
    """The settings of the demo: its own folder below the data folder, its own hosts, and short pauses."""
    own = DEMO_SETTINGS | {
        "fetch.connect_to": server.connect_to(),
        "fetch.manners_off": dict.fromkeys(server.connect_to(), "pace retry-after failing"),
        "pipeline.max_retries": expected.least_retries + 1,
    }
    return load_settings((folder or Path(DEFAULT_DATA_FOLDER)) / "demo", own | dict(flags))


def add_newsroom(services: Services, server: NewsroomServer) -> None:
    """Add the feeds of the newsroom."""
    feeds = [NewFeed(feed.url, feed.name) for feed in server.feed_urls()]
    add_feeds(services.database, feeds, utc_now())


def map_topic(services: Services, report: Report, begin: Callable[[], None]) -> TopicMap:
    """Follow the links between the stories about one event, and draw who links to whom. Each data folder needs it once."""
    topic = _topic(services)
    if topic.state != COMPLETED:
        begin()
        topic, _ = run_topic_to_its_end(services, topic, report)
    folder = services.data / TOPICS / TOPIC.replace(" ", "-")
    frozen = load_snapshot(services.database, topic)
    write_export(frozen, folder, ["html", "csv", "gexf", "svg"])
    media = {story.media for story in frozen.stories}
    return TopicMap(len(frozen.stories), len(media), len(frozen.links), folder)


def _topic(services: Services) -> Topic:
    database = services.database
    try:
        return store.find_topic(database, TOPIC)
    except NotFoundError:
        new = NewTopic(TOPIC, TOPIC_QUERY)
        topic = store.create_topic(database, new, services.settings.topics.seconds_per_media_fetch)
        add_seeds(database, topic.id, seed_from_index(services, topic))
        return topic


def differences(expected: Expectation, summary: Summary) -> list[str]:
    """Descriptions of where the counts differ from what the newsroom expects."""
    totals, dropped = expected.totals, summary.dropped
    wanted = {f"{stage}/{reason}": count for (stage, reason), count in totals.dropped.items()}
    pairs = [("indexed", totals.indexed, summary.indexed), ("archived", totals.archived, summary.archived)]
    pairs += [(name, wanted.get(name, 0), dropped.get(name, 0)) for name in sorted(wanted.keys() | dropped.keys())]
    return [f"{name}: {found} instead of {want}" for name, want, found in pairs if want != found]

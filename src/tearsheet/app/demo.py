"""The demo: the real pipeline, an ingest and a topic, run on a newsroom served from this machine, in a separate folder."""

from __future__ import annotations

from collections.abc import Callable
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
from tearsheet.ingest import request_for
from tearsheet.topics import COMPLETED, NewTopic, Topic, store
from tearsheet.topics.snapshot import load_snapshot, write_export
from tearsheet.topics.spider import add_seeds

TOPIC = "corvane bridge"
TOPIC_QUERY = "corvane OR 科尔万 OR コルヴァン OR كورفان"
"""The event that most papers of the newsroom write about, in the script of each."""
ENGLISH_PAPERS, LOCAL_PRESS = "English papers", "Local press"


@dataclass(slots=True, frozen=True)
class TopicMap:
    """What the map of the demo's topic shows, and where it is."""

    stories: int
    sources: int
    links: int
    folder: Path


def add_newsroom(services: Services, server: NewsroomServer) -> None:
    """Add the feeds of the newsroom, and two collections of its papers."""
    feeds = [
        NewFeed(feed.url, feed.name, collections=(LOCAL_PRESS, *([ENGLISH_PAPERS] if feed.language == "en" else [])))
        for feed in server.feed_urls()
    ]
    add_feeds(services.database, feeds, utc_now())


def ingested_document(expected: Expectation) -> str:
    """The address of the article that the demo captures whole: the first of the first paper."""
    return expected.stories[0].url


def ingest_document(services: Services, expected: Expectation) -> None:
    """Capture one article with its picture and its style. Each data folder needs it once."""
    url = ingested_document(expected)
    if services.ingest.store.result_of(url) is None:
        services.ingest.ingest([request_for(url)], lambda result: None)


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


def differences(expected: Expectation, summary: Summary, archived: int) -> list[str]:
    """Descriptions of where the counts differ from what the newsroom expects. `archived` are the stories of its feeds."""
    totals, dropped = expected.totals, summary.dropped
    wanted = {f"{stage}/{reason}": count for (stage, reason), count in totals.dropped.items()}
    pairs = [("indexed", totals.indexed, summary.indexed), ("archived", totals.archived, archived)]
    pairs += [(name, wanted.get(name, 0), dropped.get(name, 0)) for name in sorted(wanted.keys() | dropped.keys())]
    return [f"{name}: {found} instead of {want}" for name, want, found in pairs if want != found]

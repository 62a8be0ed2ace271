"""A data folder that keeps a story in every place where one can be: what an erasure has to find."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from tearsheet.app.pipelines import archiver
from tearsheet.app.queues import with_broker
from tearsheet.app.services import Services
from tearsheet.archive import StoryArchiveWriter
from tearsheet.engines.broker import Broker, Output
from tearsheet.feeds.polling.daily_rss import write_daily_rss
from tearsheet.ingest.capture import CaptureFile
from tearsheet.ingest.fetching import Fetched
from tearsheet.ingest.file_facts import cdx_row, file_meta, sha1_hex, time14
from tearsheet.ingest.model import Biblio, HtmlBody, IngestWebResult, Terminal, WebResource
from tearsheet.ingest.service import put_text
from tearsheet.ingest.store import Outgoing
from tearsheet.pagestore import put_story
from tearsheet.pipeline.dump import archived_form
from tearsheet.pipeline.importer import Importer
from tearsheet.settings import FeedSettings
from tearsheet.story import ContentMetadata, Exchange, HTTPMetadata, RawHTML, RSSEntry, Story, make_story_id
from tearsheet.topics import NewTopic
from tearsheet.topics.snapshot import load_snapshot, save_snapshot, write_export, write_map
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import links
from tearsheet.topics.spider.stores.links import RoutedLink
from tearsheet.topics.spider.web_story import WebStory
from tearsheet.topics.store import create_topic
from tearsheet.urls import url_hash
from tearsheet.work import new_message
from tearsheet.work.ledger_entry import entry_for
from tests.support.archive_stories import archive_all
from tests.support.feed_rows import add_stories
from tests.support.feed_rows import story as entry
from tests.support.topic_rows import add_members
from tests.support.web_seed import open_services

NAMES = ("alpha", "secret", "omega")
SECRET = "https://news.example/2026/secret-slug"
DOCUMENT = "https://journal.example/secret-slug"
WORDS = ("secretphrase", "secrettitle", "secret-slug")
"""What the story says, what it is called, and where it is: none of this may be found afterwards."""
SERVER = FeedSettings().server_name
MOMENT = 1_790_000_000.0
MOMENT_TEXT = f"{datetime.fromtimestamp(MOMENT, UTC):%Y-%m-%dT%H:%M:%SZ}"
SETTINGS: dict[str, Any] = {"archive.stores": ["copies"], "pages.active": True}


def url_of(name: str) -> str:
    return f"https://news.example/2026/{name}-slug"


def story(name: str, number: int = 1) -> Story:
    """A story as the importer gets it; `number` tells its copies apart."""
    text = f"The {name}phrase was said on the bridge. " * 8
    html = f"<html><title>{name}title</title><body><p>{text}</p></body></html>".encode()
    return Story(
        id=make_story_id("feeds", SERVER, NAMES.index(name) + 1) if number == 1 else make_story_id("full", name, number),
        rss_entry=RSSEntry(link=f"https://short.example/{name}-slug", title=f"{name}title", domain="news.example"),
        raw_html=RawHTML(html, "utf-8"),
        http_metadata=HTTPMetadata(200, MOMENT, url_of(name), "utf-8"),
        content_metadata=ContentMetadata(
            url=url_of(name), original_url=url_of(name), canonical_domain="news.example", article_title=f"{name}title",
            text_content=text, language="en", publication_date="2026-11-15", parsed_date="2026-11-15T01:02:03.000004",
        ),
        exchanges=[Exchange(url_of(name), 200, [], [("Content-Type", "text/html")], MOMENT)],
    )  # fmt: skip


def fill(data: Path, **settings: Any) -> None:
    """Fill a data folder."""
    with open_services(data, **{**SETTINGS, **settings}) as services:
        stories = [story(name) for name in NAMES]
        Importer(services.index).process_batch(stories)
        services.index.refresh()
        archive_all(archiver(services, "mc"), stories)
        assert not services.uploader.run(all_now=True).failures
        for one in stories:
            put_story(services.page_store, one)
            tried = replace(entry_for(one, "fetcher"), status="retrying")
            services.ledger.record([replace(tried, reason="noconn", detail=f"{one.url} did not answer")])
            services.ledger.record([replace(tried, status="recovered", reason="try 2", detail=f"{one.url} answered")])
        _fill_feeds(services)
        _fill_topics(services)
        _fill_ingest(services)
        with_broker(services, _fill_queues)
        with StoryArchiveWriter(data / "queue-dumps") as dump:
            for name in NAMES:
                dump.write(*archived_form("parser-in", new_message(story(name, 4))))


def _fill_feeds(services: Services) -> None:
    rows = [
        entry(number, url=f"https://short.example/{name}-slug", normalized_url=f"http://short.example/{name}-slug",
              title=f"{name}title", guid=f"{name}-slug", domain="short.example")
        for number, name in enumerate(NAMES)
    ]  # fmt: skip
    add_stories(services.database, *rows)
    day = rows[0]["fetched_at"].date()
    write_daily_rss(services.database, services.data / "rss", day, datetime.now(UTC))
    (services.data / "rss-fetcher").mkdir()
    (services.data / "rss-fetcher" / "feeds.example.json").write_text(
        f'{{"id": 7, "url": "{SECRET}", "title": "secrettitle"}}'
    )


def _fill_topics(services: Services) -> None:
    topic = create_topic(services.database, NewTopic("bridge", "bridge"), 0.0)
    members = [
        WebStory(url_hash(url_of(name)), url_of(name), "news.example", f"{name}title", "page", date(2026, 11, 15), "meta",
                 description=f"{name}phrase", text=f"The {name}phrase.")
        for name in NAMES
    ]  # fmt: skip
    add_members(services.database, topic, *members, why="matched in title")
    to_secret = MinedLink(SECRET, url_hash(SECRET), "anchor", sentence="It is the secretphrase.")
    links.save_links(services.database, topic.id, members[0].id, 0, [RoutedLink(to_secret, Route.END, members[1].id)])
    save_snapshot(services.database, topic, note="first")
    frozen = load_snapshot(services.database, topic)
    write_export(frozen, services.data / "topics" / "bridge", ["html", "csv", "jsonl", "parquet", "gexf", "svg"])
    write_map(frozen, services.data / "topics" / "drawn.html")


def _fill_ingest(services: Services) -> None:
    """Two documents, which share one picture; each has another of its own."""
    file = CaptureFile(services.archive, services.archive_folder, stores=tuple(services.archive_stores))
    results, messages = [], []
    for name in ("secret", "omega"):
        page = _fetched(f"https://journal.example/{name}-slug", f"<html>{name}phrase {name}title".encode())
        own = _fetched(f"https://journal.example/{name}-picture.png", f"{name}phrase in a picture".encode())
        shared = _fetched("https://journal.example/logo.png", b"the logo of all")
        for part in (page, own, *([shared] if name == "secret" else [])):
            file.keep(part)
        results.append(_result(name, page, [own, shared]))
    file.close()
    for result in results:
        assert result.cdx and result.html_biblio and result.request
        file.locate(result.cdx)
        put_text(services.ingest.blobs, result.cdx.sha1hex, f"<TEI>{result.html_biblio.title}</TEI>")
        value = {
            "request": result.request,
            "terminal": {"terminal_url": result.cdx.url},
            "title": result.html_biblio.title,
        }
        messages.append(Outgoing(services.ingest.names.results, f"html {result.request['base_url']}", value))
        services.events.publish(services.ingest.names.results, [(messages[-1].key, value)])
        services.events.publish(
            services.ingest.names.teixml, [(result.cdx.sha1hex, {"tei_xml": result.html_biblio.title})]
        )
    services.ingest.store.save(results, messages)


def _fetched(url: str, body: bytes) -> Fetched:
    return Fetched(asked=url, url=url, code=200, timestamp=MOMENT, body=body, charset=None, stated_type="text/html",
                   exchanges=[Exchange(url, 200, [], [("Content-Type", "text/html")], MOMENT)])  # fmt: skip


def _result(name: str, page: Fetched, parts: list[Fetched]) -> IngestWebResult:
    meta = file_meta(page.body, "text/html")
    resources = [
        WebResource(part.url, "success", "image", terminal_url=part.url, timestamp=MOMENT_TEXT,
                    sha1hex=sha1_hex(part.body))
        for part in parts
    ]  # fmt: skip
    return IngestWebResult(
        status="success", hit=True, request={"base_url": page.url, "ingest_type": "html"},
        terminal=Terminal(page.url, time14(MOMENT), 200, meta.sha1hex), cdx=cdx_row(page.url, 200, MOMENT, meta),
        file_meta=meta, html_biblio=Biblio(title=f"{name}title"), html_body=HtmlBody("success", "x", 3),
        html_resources=resources,
    )  # fmt: skip


async def _fill_queues(broker: Broker) -> None:
    outputs = [Output(queue, new_message(story(name, 2))) for queue in ("importer-in", "parser-quar") for name in NAMES]
    outputs += [Output("archiver-in", new_message(story(name, 3)), delay=9_999.0) for name in NAMES]
    await broker.publish([*outputs, Output("topic_run-in", new_message(Story()))])

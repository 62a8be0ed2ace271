"""The flavours that fetch pages from the web: csv, batch, and queue-fetcher from another machine's rss-fetcher."""

from __future__ import annotations

import base64
import gzip
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tearsheet.demo.cases import Case
from tearsheet.story import HTTPMetadata, RSSEntry, Story
from tests.support.flavour_runs import archived, dropped, indexed, looking_at, run_flavour
from tests.support.tearsheet_command import in_process, write_config


@pytest.fixture(scope="module")
def newsroom() -> Newsroom:
    return Newsroom(seed=3, sites=8, articles=48)


@pytest.fixture(scope="module")
def server(newsroom) -> Iterator[NewsroomServer]:
    with serve_in_thread(newsroom) as server:
        yield server


@pytest.fixture(scope="module")
def addresses(newsroom) -> list[str]:
    """Addresses of six stories about which there is nothing odd."""
    expected = newsroom.expectation()
    plain = [entry.link for entry in expected.entries if entry.case is Case.PLAIN and entry.outcome == "indexed"]
    links = list(dict.fromkeys(plain))[:6]
    assert len(links) == 6
    return links


def check_fetched(story: Story, url: str) -> None:
    """What a fetcher and a parser fill in."""
    http, content = story.http_metadata, story.content_metadata
    assert http == HTTPMetadata(200, http.fetch_timestamp, url, http.encoding)
    assert http.fetch_timestamp is not None and http.fetch_timestamp > 1_700_000_000
    assert story.raw_html.html
    assert (content.url, content.original_url) == (url, url)
    for name in ("canonical_domain", "language", "article_title", "text_content", "parsed_date", "normalized_url"):
        assert getattr(content, name), name


def test_csv(tmp_path, newsroom, server, addresses):
    write_config(tmp_path / "data", server, newsroom)
    missing = f"http://{addresses[0].split('/')[2]}/no/such/page-at-all"
    lines = [
        "url,note",
        *(f"{url},x" for url in addresses),
        f"{missing},x",
        "ftp://x.example/,x",
        f"{addresses[0]},again",
    ]
    file = tmp_path / "urls-2024-05-06.csv.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    summary = run_flavour(tmp_path / "data", "csv", file)
    assert {name: summary[name] for name in ("files", "finished", "stories", "problems")} == {
        "files": 1, "finished": 1, "stories": 7, "problems": {"bad-url": 1, "dups": 1},
    }  # fmt: skip
    assert [example["line"] for example in summary["examples"]] == [9, 10]
    stories = {story.rss_entry.link or "": (prefix, story) for prefix, story in archived(tmp_path / "data")}
    assert stories.keys() == set(addresses)
    for url, (prefix, story) in stories.items():
        assert prefix == "mccsv"
        assert story.rss_entry == RSSEntry(link=url, fetch_date="2024-05-06", via=str(file))
        check_fetched(story, url)
    with looking_at(tmp_path / "data") as services:
        found = indexed(services)
        assert {story.story_id for story in found.values()} == {story.id for _, story in stories.values()}
        assert dropped(services) == {"fetcher/http-404": 1, "queuer/bad-url": 1, "queuer/dups": 1}
        (lost,) = [e for e in services.ledger.find({"status": "dropped"}) if e.reason == "http-404"]
        assert lost.detail.endswith("(line 8 of urls-2024-05-06.csv)")
    again = run_flavour(tmp_path / "data", "csv", file)
    assert (again["skipped"], again["stories"]) == (1, 0)


def test_batch(tmp_path, newsroom, server, addresses):
    write_config(tmp_path / "data", server, newsroom)
    failing = next(entry.link for entry in newsroom.expectation().entries if entry.case is Case.ALWAYS_ERROR)
    items = "".join(
        f"<item><link>{url}</link><pubDate>Mon, 06 May 2024 0{n}:00:00 +0000</pubDate><domain>d{n}.example</domain>"
        f'<title>T{n}</title><source url="http://feeds.example/{n}" mcFeedId="{n + 1}" mcSourceId="{n + 10}">F</source></item>\n'
        for n, url in enumerate([*addresses, failing])
    )
    folder = tmp_path / "days"
    folder.mkdir()
    (folder / "mc-2024-05-06.rss.gz").write_bytes(gzip.compress(f"<rss><channel>\n{items}</channel></rss>".encode()))
    (folder / "notes.txt").write_text("not for us")
    summary = run_flavour(tmp_path / "data", "batch", folder)
    assert (summary["indexed"], summary["archived"], summary["waiting"]) == (6, 6, 0)
    assert summary["dropped"] == {"fetcher/http-5xx": 1}
    stories = {story.rss_entry.link or "": (prefix, story) for prefix, story in archived(tmp_path / "data")}
    assert stories.keys() == set(addresses)
    for n, url in enumerate(addresses):
        prefix, story = stories[url]
        assert prefix == "mc"
        assert story.rss_entry == RSSEntry(
            link=url, title=f"T{n}", domain=f"d{n}.example", pub_date=f"Mon, 06 May 2024 0{n}:00:00 +0000",
            fetch_date="2024-05-06", source_url=f"http://feeds.example/{n}", source_feed_id=n + 1, source_source_id=n + 10,
            via=str(folder / "mc-2024-05-06.rss.gz"),
        )  # fmt: skip
        check_fetched(story, url)
    with looking_at(tmp_path / "data") as services:
        assert {story.feed_id for story in indexed(services).values()} == set(range(1, 7))
        assert dropped(services) == {"fetcher/http-5xx": 1}
    host, _, path = failing.removeprefix("http://").partition("/")
    assert server.requests[host, f"/{path}"] == 3, "two more tries and no further, though the settings allow three"


class RssFetcher(BaseHTTPRequestHandler):
    """The part of an rss-fetcher's API that hands out stories."""

    rows: list[dict[str, Any]]
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        login = base64.b64encode(b"user:p@ss").decode()
        if self.headers["Authorization"] != f"Basic {login}":
            self.send_error(401)
            return
        first, _, limit = self.path.removeprefix("/api/rss_entries/").partition("?_limit=")
        found = [row for row in self.rows if row["id"] >= int(first)][: min(int(limit), 4)]
        body = json.dumps({"status": "OK", "version": "1", "duration": 1, "results": found}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def rss_fetcher(addresses) -> Iterator[tuple[str, type[RssFetcher]]]:
    class Handler(RssFetcher):
        asked: list[str] = []  # noqa: RUF012 - one for each test
        rows = [  # noqa: RUF012
            {
                "id": 100 + n, "feed_id": n + 1, "sources_id": n + 10, "url": url, "title": f"T{n}", "domain": f"d{n}.example",
                "published_at": "2024-05-06T01:02:03", "fetched_at": "2024-05-06T04:05:06.7", "feed_url": f"http://feeds.example/{n}",
                "normalized_url": url, "guid": None, "normalized_title": f"t{n}", "normalized_title_hash": "x",
            }
            for n, url in enumerate([*addresses[:3], None, *addresses[3:]])
        ]  # fmt: skip

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    yield f"http://user:p%40ss@127.0.0.1:{listener.server_port}/", Handler
    listener.shutdown()
    listener.server_close()
    thread.join()


def test_queue_fetcher_from_another_machine(tmp_path, newsroom, server, addresses, rss_fetcher):
    url, handler = rss_fetcher
    write_config(tmp_path, server, newsroom, **{"feeds.remote": url})
    done = in_process("--quiet", "pipeline", "run", "queue-fetcher", "--json", data=tmp_path)
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["indexed"] == 6
    assert handler.asked == [f"/api/rss_entries/{first}?_limit=2500" for first in (1, 104, 107)]
    stories = {story.rss_entry.link: (prefix, story) for prefix, story in archived(tmp_path)}
    numbers = [0, 1, 2, 4, 5, 6]
    assert stories.keys() == set(addresses)
    for n, address in zip(numbers, addresses, strict=True):
        prefix, story = stories[address]
        assert prefix == "mc"
        assert story.rss_entry == RSSEntry(
            link=address, title=f"T{n}", domain=f"d{n}.example", pub_date="Mon, 06 May 2024 01:02:03 +0000",
            fetch_date="2024-05-06", source_url=f"http://feeds.example/{n}", source_feed_id=n + 1, source_source_id=n + 10,
            via=f"{100 + n}@127.0.0.1",
        )  # fmt: skip
        check_fetched(story, address)
    with looking_at(tmp_path) as services:
        assert dropped(services) == {"queuer/no-url": 1}
    handler.asked.clear()
    assert in_process("--quiet", "run", "--once", "--no-web", data=tmp_path).exit_code == 0
    assert handler.asked == ["/api/rss_entries/107?_limit=2500"]


def test_an_rss_fetcher_that_refuses_us_is_one_line(tmp_path, rss_fetcher):
    url, _ = rss_fetcher
    wrong = url.replace("user", "nobody")
    done = in_process("--quiet", "pipeline", "run", "queue-fetcher", data=tmp_path, TEARSHEET_FEEDS_REMOTE=wrong)
    assert done.exit_code == 7
    assert "the server answers 401" in done.stderr and "p%40ss" not in done.stderr


def test_ones_own_pipeline_with_its_own_queues(tmp_path, newsroom, server, addresses):
    write_config(tmp_path / "data", server, newsroom)
    with (tmp_path / "data" / "config.toml").open("a") as config:
        config.write(
            '[pipelines.mine]\nqueuer = "csv"\nstages = ["fetcher", "parser", "importer"]\nabout = "no archive"\n'
        )
    drawn = in_process("pipeline", "list", data=tmp_path / "data").stdout
    assert re.search(r"mine\n?.* csv ─▶ fetcher ─▶ parser ─▶ importer\s", drawn)
    (tmp_path / "list.csv").write_text("\n".join(addresses[:2]))
    words = ("pipeline", "run", "mine", tmp_path / "list.csv", "--queue-only")
    assert in_process(*words, data=tmp_path / "data").exit_code == 0
    # The pipeline csv has nothing to do with these stories, though its stages are the same.
    run_flavour(tmp_path / "data", "csv", tmp_path / "missing.csv", code=3)
    queues = json.loads(in_process("queues", "list", "--json", data=tmp_path / "data").stdout)
    assert {row["queue"]: row["ready"] for row in queues if row["ready"]} == {"mine.fetcher-in": 2}
    run_flavour(tmp_path / "data", "mine", tmp_path / "list.csv")
    assert archived(tmp_path / "data") == []
    with looking_at(tmp_path / "data") as services:
        assert len(indexed(services)) == 2

"""Stories of an index that Media Cloud's story-indexer filled."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tearsheet.engines.index.search_server import open_search_server
from tearsheet.errors import ConfigError
from tearsheet.index import NotIndexable
from tearsheet.index.from_mediacloud import story_of_mediacloud
from tearsheet.mediacloud_ids import mediacloud_id
from tests.support.servers import server_url
from tests.support.tearsheet_command import tearsheet

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SLASHED = "https://www.paper.example/2024/the-bridge/"
DOCUMENT: dict[str, Any] = {
    "article_title": "The bridge",
    "text_content": "The council agreed to rebuild the old bridge.",
    "canonical_domain": "paper.example",
    "language": "en",
    "indexed_date": "2024-03-01T12:00:00.123456",
    "publication_date": "2024-02-29",
    "url": SLASHED,
}
MAPPING: dict[str, Any] = {
    "dynamic": False,
    "properties": {
        "article_title": {"type": "text"},
        "text_content": {"type": "text"},
        "canonical_domain": {"type": "keyword"},
        "language": {"type": "keyword"},
        "indexed_date": {"type": "date_nanos"},
        "publication_date": {"type": "date", "ignore_malformed": True},
        "url": {"type": "keyword"},
    },
}
"""As story-indexer makes it; minimal builds of the servers lack the type `wildcard` of `url`."""


def test_dates_and_fields_are_kept():
    story = story_of_mediacloud((mediacloud_id(SLASHED), DOCUMENT), NOW)
    assert story.indexed_date == 1_709_294_400_123_456_000
    assert (story.publication_date, story.language, story.canonical_domain) == ("2024-02-29", "en", "paper.example")
    assert (story.article_title, story.url) == ("The bridge", SLASHED)
    assert story.mediacloud_id == mediacloud_id(SLASHED) != story.id
    assert "mediacloud_id" not in story.extra, "it follows from the address"
    assert story.story_id == story_of_mediacloud((mediacloud_id(SLASHED), DOCUMENT), NOW).story_id


def test_an_id_that_does_not_follow_from_the_address_is_kept():
    assert story_of_mediacloud(("f" * 64, DOCUMENT), NOW).mediacloud_id == "f" * 64


@pytest.mark.parametrize("lacking", ["url", "text_content"])
def test_a_document_that_is_no_story_is_refused(lacking):
    with pytest.raises(NotIndexable):
        story_of_mediacloud(("f" * 64, DOCUMENT | {lacking: None}), NOW)


@pytest.fixture
def original() -> Iterator[str]:
    """The URL of an index as story-indexer fills it, on the real server."""
    address, alias = server_url("opensearch").rsplit("/", 1)[0], f"mc-{uuid.uuid4().hex[:12]}"
    server = open_search_server(f"{address}/ours-{alias}?replicas=0", patience=20)
    body = {"mappings": MAPPING, "aliases": {alias: {"is_write_index": True}}, "settings": {"number_of_replicas": 0}}
    server._ask("PUT", f"/{alias}-000001", None, body)
    lines: list[Any] = []
    for url in (f"{SLASHED}{number}/" for number in range(1203)):
        lines += [{"create": {"_id": mediacloud_id(url)}}, DOCUMENT | {"url": url}]
    bulk = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    server._ask("POST", f"/{alias}-000001/_bulk", {"refresh": "true"}, bulk)
    yield f"{address}/{alias}"
    server._ask("DELETE", f"/{alias}-000001")
    server._ask("DELETE", f"/ours-{alias}-000001")
    server._ask("DELETE", f"/_index_template/ours-{alias}_template")
    server.close()


@pytest.mark.engine("opensearch")
def test_one_command_moves_an_index_of_media_cloud_over(original: str, tmp_path: Path):
    with pytest.raises(ConfigError, match="tearsheet index copy"):
        open_search_server(original, patience=20)
    done = tearsheet("index", "copy", original, data=tmp_path)
    assert done.returncode == 0 and "1,203 stories indexed" in done.stdout, done.stderr
    again = tearsheet("index", "copy", original, data=tmp_path)
    assert "0 stories indexed, 1,203 were there" in again.stdout
    found = tearsheet("search", 'title:bridge AND "old bridge"', "--jsonl", "--limit", "1", data=tmp_path)
    story = json.loads(found.stdout)
    assert story["mediacloud_id"] == mediacloud_id(story["url"]) != story["id"]
    assert story["indexed_date"] == "2024-03-01T12:00:00.123456000Z"


@pytest.mark.engine("opensearch")
def test_an_index_that_is_not_there_is_told(original: str, tmp_path: Path):
    done = tearsheet("index", "copy", f"{original}-typo", data=tmp_path)
    assert done.returncode == 5 and "has no index" in done.stderr, done.stderr

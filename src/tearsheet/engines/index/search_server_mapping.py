"""How stories are stored in OpenSearch and Elasticsearch: the fields of Media Cloud, under the same names, and our own.

The servers get text that is already split into words (`title_words`, `text_words`), because their own analysers would split it
by other rules, and counts would depend on the engine. `article_title` and `text_content` hold the original text, which the server
splits as it does for Media Cloud, so that programs made for its index find the same here; ours never ask for these fields.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

from tearsheet.engines.index.port import IndexedStory
from tearsheet.query import cut_to_text, fold

WORDS_OF = {"article_title": "title_words", "text_content": "text_words"}
MAX_LOT = 2**53
"""Random numbers below this stay exact in JSON."""
_UNSEARCHED = {"type": "keyword", "index": False, "doc_values": False}
_CUT = {"type": "text", "analyzer": "whitespace"}


def template(alias: str, *, shards: int, replicas: int, url_type: str) -> dict[str, Any]:
    """The index template for `ALIAS-000001` and its successors."""
    url = {"type": url_type} if url_type == "wildcard" else {"type": url_type, "ignore_above": 8191}
    properties = {
        "article_title": {"type": "text"},
        "text_content": {"type": "text"},
        "title_words": _CUT,
        "text_words": _CUT,
        "canonical_domain": {"type": "keyword"},
        "language": {"type": "keyword"},
        "indexed_date": {"type": "date_nanos"},
        "publication_date": {"type": "date", "ignore_malformed": True},
        "url": url,
        "original_url": _UNSEARCHED,
        "story_id": _UNSEARCHED,
        "mediacloud_id": {"type": "keyword"},
        "source_id": {"type": "keyword"},
        "feed_id": _UNSEARCHED,
        "extra": {"type": "object", "enabled": False},
        "indexed_nanos": {"type": "long"},
        "lot": {"type": "long"},
    }
    return {
        "index_patterns": [f"{alias}-*"],
        "template": {
            "settings": {"number_of_shards": shards, "number_of_replicas": replicas},
            "mappings": {
                "dynamic": False,
                "_source": {"excludes": list(WORDS_OF.values())},
                "properties": properties,
            },
        },
    }


def to_source(story: IndexedStory) -> dict[str, Any]:
    """A story as it is sent."""
    seconds, nanos = divmod(max(story.indexed_date, 0), 1_000_000_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    source: dict[str, Any] = {
        "story_id": story.story_id,
        "mediacloud_id": story.mediacloud_id or None,
        "url": story.url,
        "article_title": story.article_title,
        "text_content": story.text_content,
        "title_words": cut_to_text(story.article_title),
        "text_words": cut_to_text(story.text_content),
        "indexed_date": f"{moment:%Y-%m-%dT%H:%M:%S}.{nanos:09}Z",
        "indexed_nanos": story.indexed_date,
        "lot": random.randrange(MAX_LOT),
        "canonical_domain": fold(story.canonical_domain) or None,
        "language": fold(story.language) or None,
        "publication_date": story.publication_date,
        "original_url": story.original_url or None,
        "source_id": None if story.source_id is None else str(story.source_id),
        "feed_id": None if story.feed_id is None else str(story.feed_id),
        "extra": story.extra or None,
    }
    return {name: value for name, value in source.items() if value is not None}


def from_source(identifier: str, source: dict[str, Any]) -> IndexedStory:
    """A story as it came back."""
    return IndexedStory(
        id=identifier,
        story_id=source.get("story_id", ""),
        url=source.get("url", ""),
        canonical_domain=source.get("canonical_domain", ""),
        indexed_date=int(source.get("indexed_nanos", 0)),
        article_title=source.get("article_title", ""),
        text_content=source.get("text_content", ""),
        language=source.get("language", ""),
        publication_date=source.get("publication_date"),
        original_url=source.get("original_url", ""),
        source_id=_number(source.get("source_id")),
        feed_id=_number(source.get("feed_id")),
        extra=source.get("extra", {}),
    )


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)

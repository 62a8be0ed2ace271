"""A story as tantivy indexes it: its fields, split into words."""

from __future__ import annotations

import random
from datetime import date

import tantivy

from tearsheet.engines.index.story_store import Numbered
from tearsheet.engines.index.tantivy_query import DAY_ZERO
from tearsheet.foreign_text import writable
from tearsheet.query import cut_to_text, day_number, fold

MAX_LOT = 2**63
"""Each story gets a random number below this, by which samples are drawn."""


def words_schema() -> tantivy.Schema:
    """The fields that are indexed; the stories themselves are in the story store."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("docno", indexed=True, fast=True)
    builder.add_unsigned_field("lot", indexed=True, fast=True)
    for name in ("article_title", "text_content"):
        builder.add_text_field(name, tokenizer_name="whitespace")
    for name in ("canonical_domain", "language"):
        builder.add_text_field(name, tokenizer_name="raw", fast=True, index_option="basic")
    for name in ("url", "source_id"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("publication_date", indexed=True, fast=True)
    builder.add_unsigned_field("indexed_date", indexed=True, fast=True)
    return builder.build()


def to_document(numbered: Numbered) -> tantivy.Document:
    """A story as tantivy indexes it: split into words, with its number."""
    story = numbered.story
    document = tantivy.Document()
    document.add_unsigned("docno", numbered.docno)
    document.add_unsigned("lot", random.randrange(MAX_LOT))
    document.add_unsigned("indexed_date", max(story.indexed_date, 0))
    document.add_text("article_title", cut_to_text(story.article_title))
    document.add_text("text_content", cut_to_text(story.text_content))
    document.add_text("url", writable(story.url))
    for name, value in (("canonical_domain", story.canonical_domain), ("language", story.language)):
        if value:
            document.add_text(name, writable(fold(value)))
    if story.source_id is not None:
        document.add_text("source_id", str(story.source_id))
    if story.publication_date:
        document.add_unsigned("publication_date", day_number(date.fromisoformat(story.publication_date)) + DAY_ZERO)
    return document

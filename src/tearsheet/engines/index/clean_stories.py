"""Make stories acceptable to every engine."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tearsheet.engines.index.port import IndexedStory
from tearsheet.foreign_text import writable


def clean_story(story: IndexedStory) -> IndexedStory:
    """A story that can be encoded as UTF-8: lone surrogates, which broken pages contain, become question marks."""
    return IndexedStory(**{item.name: _clean(getattr(story, item.name)) for item in fields(story)})


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value

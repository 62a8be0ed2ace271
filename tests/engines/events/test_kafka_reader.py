"""Messages that other programs sent to our topics: one that nobody can read must not keep those behind it for ever."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tearsheet.engines.events.kafka_reader import event_of
from tearsheet.engines.events.port import Event


def message(value: bytes | None, key: bytes | None = b"key") -> Any:
    return SimpleNamespace(
        topic=lambda: "requests", key=lambda: key, value=lambda: value, partition=lambda: 1, offset=lambda: 7
    )


def test_a_message_is_an_event():
    assert event_of(message(b'{"base_url": "https://a.example/"}')) == Event(
        "requests", "key", {"base_url": "https://a.example/"}, "1:7"
    )


@pytest.mark.parametrize("value", [b"no JSON", b"[1]", b"5", b"null", b"\xff\xfe", b'{"a":' * 100_000, b"", None])
def test_what_is_no_object_is_an_event_without_values(value):
    assert event_of(message(value)) == Event("requests", "key", {}, "1:7")


def test_a_key_that_is_no_text():
    assert event_of(message(b"{}", b"\xff")).key == "\ufffd"

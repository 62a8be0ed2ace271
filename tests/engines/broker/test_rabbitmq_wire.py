"""Messages that other programs sent to our queues are leased like ours, so that a worker can set them aside."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tearsheet.engines.broker.port import Message
from tearsheet.engines.broker.rabbitmq_wire import headers_of, ready_since, unpacked


def received(body: bytes, **headers: object) -> Any:
    return SimpleNamespace(body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_a_message_of_ours_comes_back_as_it_was():
    message = Message(b"meta", {"x-mc-retries": 2, "x-mc-when": 1.5, "x-mc-what": "ü"}, "news.example", b"page")
    wire: Any = SimpleNamespace(body=b"metapage", headers=headers_of(message, 12.25))
    assert unpacked(wire) == message
    assert ready_since(wire) == 12.25


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"journey": "no JSON"},
        {"journey": "[1]"},
        {"journey": '{"a": {"b": 1}}'},
        {"journey": '{"a":' * 100_000},
        {"journey": b"\xff"},
        {"page_at": "x"},
        {"page_at": -3},
        {"page_at": 10**9},
        {"page_at": None},
    ],
    ids=lambda headers: str(headers)[:40],
)
def test_what_is_not_ours_is_left_out(headers):
    assert unpacked(received(b"what is this", **headers)) == Message(b"what is this")


@pytest.mark.parametrize("moment", ["soon", None, [1], b"\xff"])
def test_a_moment_that_is_none(moment):
    assert ready_since(received(b"", ready_at=moment)) is None

"""What answers at the port of the management API may be anything: then nothing is known, and the program goes on."""

from __future__ import annotations

import pytest

from tearsheet.engines.broker import rabbitmq_management
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.server import parse_server_url
from tests.support.answering import answering


def management_at(port: int) -> Management:
    return Management(parse_server_url(f"amqp://u:p@127.0.0.1/?management={port}", "s", {"amqp": 5672}))


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[" * 100_000, b"5", b"[5]", b'[{"a": 1}]', b'[{"name": 5}]', b"\xff", b'{"name": "a"}']
)
def test_what_is_no_list_of_queues_is_none(body):
    with answering(body) as port:
        assert management_at(port).unacknowledged() is None


def test_an_answer_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(rabbitmq_management, "_MOST_BYTES", 100_000)
    with answering(b" " * 1_000_000) as port:
        assert management_at(port).unacknowledged() is None

"""Our messages as RabbitMQ carries them. Other programs may send to our queues too: what is not ours is never an error here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tearsheet.engines.broker.port import Headers, Message
from tearsheet.engines.broker.rabbitmq_layout import HASH_HEADER
from tearsheet.foreign_text import decode_json

if TYPE_CHECKING:
    from aio_pika.abc import AbstractIncomingMessage

_JOURNEY = "journey"
"""The header that holds our own headers, as JSON: exact for every number, and readable in RabbitMQ's own pages."""
_PAGE_AT = "page-at"
"""The header that says where in the body the page begins."""
_READY_AT = "ready-at"
"""The header that says from when a message can be leased, in seconds since 1970; as text, because the client shortens numbers."""


def headers_of(message: Message, ready_at: float) -> dict[str, Any]:
    """The headers of the server's message for ours."""
    return {
        _JOURNEY: msgspec.json.encode(message.headers).decode(),
        _PAGE_AT: len(message.body),
        HASH_HEADER: message.key,
        _READY_AT: str(ready_at),
    }


def unpacked(message: AbstractIncomingMessage) -> Message:
    """Our message, from the server's. Of one that another program sent, what is not ours is left out; its worker sets it aside."""
    headers: Any = message.headers
    whole, cut = message.body, headers.get(_PAGE_AT)
    if not isinstance(cut, int) or not 0 <= cut <= len(whole):
        cut = len(whole)
    try:
        journey = decode_json(str(headers.get(_JOURNEY, "{}")), Headers)
    except ValueError:
        journey = {}
    return Message(whole[:cut], journey, str(headers.get(HASH_HEADER, "")), whole[cut:])


def ready_since(message: AbstractIncomingMessage) -> float | None:
    """From when a message could be leased; None for one that an earlier version, or another program, sent."""
    headers: Any = message.headers
    try:
        return float(headers[_READY_AT])
    except (KeyError, TypeError, ValueError):
        return None

"""What a process for expensive questions sends back: MessagePack, read by the type that the question returns.

It works on strangers' stories in native code. Should it ever be taken over, it can answer falsely, but make us run nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, get_type_hints

import msgspec

from tearsheet.errors import BusyError, EngineError, StorageError, TearsheetError, UsageError
from tearsheet.query import QueryError

MOST_BYTES = 256 << 20
READY = b""
"""Sent first, when everything is loaded."""
_ERRORS = {kind.__name__: kind for kind in (QueryError, UsageError, EngineError, StorageError, BusyError)}


class _Answer(msgspec.Struct, array_like=True):
    value: msgspec.Raw
    error: str = ""
    """The name of its class; the message is the value."""


def pack_answer(value: Any) -> bytes:
    """An answer, or an error that is to be raised by whoever asked."""
    error = type(value).__name__ if isinstance(value, TearsheetError) else ""
    return msgspec.msgpack.encode(_Answer(msgspec.Raw(msgspec.msgpack.encode(str(value) if error else value)), error))


def unpack_answer(data: bytes, question: Callable[..., Any]) -> Any:
    """The answer to a question, a method of `WordReader`. Raises the error that came instead, or EngineError for nonsense."""
    try:
        answer = msgspec.msgpack.decode(data, type=_Answer)
        value = msgspec.msgpack.decode(answer.value, type=str if answer.error else _returned(question))
    except msgspec.MsgspecError as error:
        raise EngineError(f"the process for expensive queries answered nonsense: {error}") from error
    if answer.error:
        raise _ERRORS.get(answer.error, EngineError)(value)
    return value


@cache
def _returned(question: Callable[..., Any]) -> Any:
    return get_type_hints(question)["return"]

"""Addresses of servers that are a little wrong, and what is said of them."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest


def replaced(url: str, **parts: str) -> str:
    """A URL with another user, password, place or path."""
    split = urlsplit(url)
    user = parts.get("user", split.username or "")
    password = parts.get("password", split.password or "")
    netloc = parts.get("place", f"{split.hostname}:{split.port}")
    login = f"{user}:{password}@" if user else ""
    return split._replace(netloc=login + netloc, path=parts.get("path", split.path)).geturl()


def one_line(error: pytest.ExceptionInfo[Exception], setting: str) -> str:
    message = str(error.value)
    assert setting in message
    assert "\n" not in message
    assert "secret" not in message.replace("refuses the secret", "")
    return message

"""What topics and groups of an event log may be called: names that are valid both in Kafka and as files."""

from __future__ import annotations

import re

from tearsheet.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")


def check_name(name: str, what: str) -> str:
    """The name, if it is valid. Raises UsageError when it is not. `what` is `topic` or `group`."""
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise UsageError(f"{name[:80]!r} cannot name a {what}: use letters, digits, dots, dashes and underscores")
    return name

"""What topics and groups of an event log may be called: what Kafka and a folder can both hold."""

from __future__ import annotations

import re

from tearsheet.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")


def check_name(name: str, what: str) -> str:
    """The name itself; raises UsageError when it is no good. `what` is `topic` or `group`."""
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise UsageError(f"{name[:80]!r} cannot name a {what}: use letters, digits, dots, dashes and underscores")
    return name

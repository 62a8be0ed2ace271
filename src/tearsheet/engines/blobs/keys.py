"""What a blob's key may look like, and what a key pattern means: the same rules for every blob store."""

from __future__ import annotations

from tearsheet.errors import UsageError

ASIDE = ".aside"
"""The folder that a store reserves for its own files; no key may start with it."""

_LONGEST_KEY = 1024
_LONGEST_NAME = 255


def check_key(key: str) -> str:
    """The key, if every store can hold it. Raises UsageError when it is empty, too long, or would leave the store."""
    names = key.split("/")
    if not key or len(key.encode("utf-8", "surrogatepass")) > _LONGEST_KEY:
        raise UsageError(f"{key[:80]!r} cannot name a blob: a key has 1 to {_LONGEST_KEY} bytes")
    for name in names:
        if name in ("", ".", "..") or len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
            raise UsageError(f"{key!r} cannot name a blob: its part {name[:80]!r} is empty, a dot name or too long")
    if names[0] == ASIDE or "\\" in key or not key.isprintable():
        raise UsageError(f"{key!r} cannot name a blob: backslashes, control characters and {ASIDE}/ are not allowed")
    return key


def split_pattern(pattern: str) -> tuple[str, bool]:
    """(`2026/11/`, True) for `2026/11/*`: all keys with that prefix; (key, False) for one key. Only a last `*` is a wildcard."""
    if pattern.endswith("*"):
        return pattern[:-1], True
    return pattern, False

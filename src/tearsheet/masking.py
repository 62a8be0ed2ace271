"""What must not be shown, and how it is hidden: passwords and tokens of the settings and of feeds, logins and keys in addresses.

`masked` shows the value of a secret setting, `shown_url` an address that may carry a login. Whatever is printed, logged or raised
passes `redacted` at the end, which hides the secrets of this process even where a library has put them into its own message.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar
from urllib.parse import quote, unquote, unquote_plus

HIDDEN = "***"
_PLACE = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])?(?::\d{1,5})?")
"""A host with its port; nothing for a path of this machine."""
_NAMED_PLACE = re.compile(r"(?:[\w-]+(?:\.[\w-]+)+|localhost|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?")
_PATH = re.compile(r"(?:(?:file|sqlite|tantivy|jsonl):)?[^:@?]+")
_USER = re.compile(r"[\w.%+~-]{0,100}")
_HARMLESS = frozenset({"management", "partitions", "region", "security", "sslmode", "tls"})
"""Options of engines' URLs that are shown; all others are hidden, since a database's may be a password."""
_TELLING = re.compile(
    r"(?i)passw|pwd|secret|token|signature|credential|auth(?!or)|api[-_]?key|access[-_]?key|^(?:key|sig|jwt|pw)$"
)
"""Names of parameters whose values are not shown."""
_LOGIN = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}://)[^\s/?#\"<>]{0,2000}@")
_MOST_OTHERS = 1_000
"""Every text that is printed is searched for all of them."""
_SHORTEST = 4
"""Shorter secrets are not searched for in texts: they would hide half of every message, and protect nothing."""


def masked(value: Any) -> Any:
    """The value of a secret setting as it is shown: the place that it names, and nothing of which we are not sure.

    A user or password that is not escaped as a URL demands may end anywhere; then only the scheme is shown.
    """
    if isinstance(value, list):
        return [masked(item) for item in value]
    text = str(value)
    scheme, colon, rest = text.partition("://")
    if not text or not colon or not scheme.isalnum():
        return HIDDEN if text else ""
    authority, path, options = _parted(rest)
    login, at, place = authority.rpartition("@")
    if "@" in path + options or not _PLACE.fullmatch(place):
        return f"{scheme}://{HIDDEN}"
    user, has_password, _ = login.partition(":")
    shown = f"{user}:{HIDDEN}" if has_password and _USER.fullmatch(user) else HIDDEN if login else ""
    return f"{scheme}://{shown}{at}{place}{path}{_harmless(options)}"


def is_path(text: str) -> bool:
    """Whether a text can only be a path of this machine, which is no secret."""
    return _PATH.fullmatch(text) is not None


def masked_place(value: Any) -> Any:
    """The value of a setting that is a path or a URL, as it is shown: a path as it is."""
    if isinstance(value, list):
        return [masked_place(item) for item in value]
    return value if is_path(str(value)) else masked(value)


def without_login(url: str) -> str:
    """A web address without user and password."""
    scheme, colon, rest = url.partition("://")
    authority, path, options = _parted(rest)
    place = authority.rpartition("@")[2]
    if "@" in path + options and ":" in place and not _NAMED_PLACE.fullmatch(place):
        # Perhaps no host and port, but a user and the first half of a password with a slash in it.
        return f"{scheme}://{HIDDEN}"
    return f"{scheme}{colon}{place}{rest[len(authority) :]}"


def shown_url(url: str) -> str:
    """A web address as it is shown: without a login, and without the values of parameters that are called like secrets."""
    address, mark, query = without_login(url).partition("?")
    return f"{address}{mark}{_without_values(query)}"


def keep_secret(values: Iterable[Any]) -> None:
    """Hide these values of secret settings from now on, whole and in their parts, instead of all that was hidden before."""
    _Known.others = {}
    _Known.settings = {form for value in values for form in _forms(value) if len(form) >= _SHORTEST}
    _Known.compile()


def keep_secret_too(values: Iterable[str]) -> None:
    """Hide these texts as well: secrets that are not settings, such as the logins of feeds. The most recent are known."""
    new = {form: None for value in values for form in _spellings(value) if len(form) >= _SHORTEST}
    if not new.keys() <= _Known.others.keys():
        _Known.others = dict(list((_Known.others | new).items())[-_MOST_OTHERS:])
        _Known.compile()


def redacted(text: str) -> str:
    """A text without the secrets of this process, and without logins in addresses."""
    if _Known.pattern is not None:
        text = _Known.pattern.sub(HIDDEN, text)
    return _LOGIN.sub(rf"\1{HIDDEN}@", text) if "@" in text else text


class _Known:
    """What `redacted` searches for. One process has the secrets of one data folder."""

    pattern: re.Pattern[str] | None = None
    settings: ClassVar[set[str]] = set()
    others: ClassVar[dict[str, None]] = {}

    @classmethod
    def compile(cls) -> None:
        forms = sorted(cls.settings | cls.others.keys(), key=len, reverse=True)
        cls.pattern = re.compile("|".join(map(re.escape, forms))) if forms else None


def _parted(rest: str) -> tuple[str, str, str]:
    """What follows `://`: the host with its login, the path, and the options without their question mark."""
    before, _, options = rest.partition("?")
    authority, slash, path = before.partition("/")
    return authority, slash + path, options


def _harmless(options: str) -> str:
    pairs = options.split("&") if options else []
    kept = [pair for pair in pairs if pair.partition("=")[0] in _HARMLESS]
    return "?" + "&".join([*kept, *[HIDDEN][: len(pairs) - len(kept)]]) if pairs else ""


def _without_values(query: str) -> str:
    def hidden(pair: str) -> str:
        name, equals, _ = pair.partition("=")
        return f"{name}={HIDDEN}" if equals and _TELLING.search(unquote_plus(name)) else pair

    return "&".join(map(hidden, query.split("&")))


def _forms(value: Any) -> Iterator[str]:
    """A secret and its parts, as they are written, decoded and encoded."""
    if isinstance(value, list):
        for item in value:
            yield from _forms(item)
        return
    text = str(value)
    _, colon, rest = text.partition("://")
    if not colon:
        yield from _spellings(text)
        return
    if masked(text) == text:
        return
    yield text
    login, at, place = rest.rpartition("@")
    user, _, password = login.partition(":")
    if at:
        yield login
        yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
    public = {user, *re.split(r"[:/?]", place)}  # a password that is also the name of the database is no secret
    options = [pair.partition("=") for pair in rest.partition("?")[2].split("&")]
    for part in (password, *(given for name, _, given in options if name not in _HARMLESS)):
        if part not in public:
            yield from _spellings(part)


def _spellings(secret: str) -> Iterator[str]:
    plain = unquote(secret)
    yield from (secret, plain, quote(plain), quote(plain, safe=""), unquote_plus(secret))

"""What a feed's server has to be told before it answers: logins, tokens, cookies, further headers. All of it is secret."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from tearsheet.errors import UsageError
from tearsheet.fetch import wire_origin, wire_url
from tearsheet.masking import keep_secret_too
from tearsheet.urls import BadURL, split_http_url

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e\x80-\U0010ffff\t]{1,8000}")
_OURS = frozenset(
    """
    accept-encoding authorization connection content-length cookie host if-modified-since if-none-match te trailer
    transfer-encoding upgrade user-agent
    """.split()
)
"""Headers that are sent by rules of their own."""
MOST_HEADERS = 20


@dataclass(slots=True, frozen=True)
class FeedAccess:
    """What is sent with each request to the origin of a feed, and to no other. Nothing of it is ever shown."""

    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    cookie: str | None = field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    origin: str = ""
    """Scheme, host and port that it was given for; empty means wherever the feed was when it was given."""

    def __bool__(self) -> bool:
        """Whether there is anything to send."""
        return bool(self.username or self.password or self.token or self.cookie or self.headers)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What there is, by name: this may be shown."""
        named = {"user": self.username, "password": self.password, "token": self.token, "cookie": self.cookie}
        return (*(name for name, value in named.items() if value), *(f"header {name}" for name, _ in self.headers))

    def headers_for(self, url: str) -> dict[str, str]:
        """The request headers for an address: none when it is of another origin."""
        if not self or origin_of(url) != self.origin:
            return {}
        sent = dict(self.headers)
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        elif self.username or self.password:
            sent["Authorization"] = f"Basic {self._pair()}"
        if self.cookie:
            sent["Cookie"] = self.cookie
        return sent

    def hide(self) -> None:
        """Have these secrets hidden wherever this process prints or logs anything."""
        values = [self.password, self.token, self.cookie, *(value for _, value in self.headers)]
        keep_secret_too([value for value in values if value] + ([self._pair()] if self.password else []))

    def _pair(self) -> str:
        return base64.b64encode(f"{self.username or ''}:{self.password or ''}".encode()).decode()


def origin_of(url: str) -> str:
    """`scheme://host:port` of an address; empty when it cannot be requested."""
    try:
        return wire_origin(wire_url(url))
    except BadURL:
        return ""


def without_access(url: str) -> tuple[str, FeedAccess]:
    """An address without user and password, and these. Raises BadURL."""
    parts = split_http_url(url)
    login, at, place = parts.netloc.rpartition("@")
    if not at:
        return url, FeedAccess()
    user, _, password = login.partition(":")
    bare = parts._replace(netloc=place).geturl()
    return bare, FeedAccess(unquote(user) or None, unquote(password) or None, origin=origin_of(bare))


def checked_access(access: FeedAccess) -> FeedAccess:
    """The same, if all of it can be sent. Raises UsageError, which shows no value."""
    named = {"user": access.username, "password": access.password, "token": access.token, "cookie": access.cookie}
    for name, value in named.items():
        _check_value(f"the {name}", value)
    if access.username and ":" in access.username:
        raise UsageError("the user has a colon in it, and HTTP ends a user there")
    if len(access.headers) > MOST_HEADERS:
        raise UsageError(f"a feed has {MOST_HEADERS} headers of its own at most")
    for name, value in access.headers:
        if not _NAME.fullmatch(name):
            raise UsageError("a header is given as `Name: value`, and a name has letters, digits and hyphens only")
        if name.lower() in _OURS:
            raise UsageError(f"the header {name} cannot be set: there is an option for it, or it is ours to send")
        _check_value(f"the header {name}", value)
    return access


def _check_value(what: str, value: str | None) -> None:
    if value is not None and not _VALUE.fullmatch(value):
        raise UsageError(f"{what} is empty, too long, or has line breaks or other characters that cannot be sent")


def read_headers(lines: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Headers that are written as `Name: value`. Raises UsageError, which shows no value."""
    found = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon:
            raise UsageError("a header is given as `Name: value`")
        found.append((name.strip(), value.strip()))
    return tuple(found)


def merged_access(old: FeedAccess, changes: Mapping[str, object]) -> FeedAccess:
    """What there was with what is new; an empty text removes what it names. Headers are replaced by name."""
    values = {name: value or None for name, value in changes.items() if name != "headers" and value is not None}
    new = replace(old, **values)  # type: ignore[arg-type]  # the names of texts
    if (more := changes.get("headers")) is not None:
        assert isinstance(more, tuple)
        named = {name.lower(): (name, value) for name, value in (*old.headers, *more)}
        new = replace(new, headers=tuple(pair for pair in named.values() if pair[1]))
    return new

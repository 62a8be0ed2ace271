"""WebSub: who tells of a feed's news, whose message it is, and when to ask again."""

from __future__ import annotations

import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.feeds.polling.websub import (
    ACTIVE,
    LEASE,
    MOST_ASKED,
    REFUSED,
    ask_again_at,
    granted_lease,
    hub_and_topic,
    is_relied_on,
    is_signed,
    renew_at,
)

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
URL, HUB = "https://n.example/feed", "https://hub.example/"


@pytest.mark.parametrize(
    ("header", "links", "found"),
    [
        (None, {"hub": HUB, "self": URL}, (HUB, URL)),
        (f'<{HUB}>; rel="hub", <{URL}?a>; rel="self"', {}, (HUB, f"{URL}?a")),
        (f"<{HUB}>; rel=hub, </feed>; rel=self", {"hub": "https://other.example/", "self": "x"}, (HUB, URL)),
        (f'<{HUB}>; title="x"; rel="something hub", <{URL}>;rel=self', {}, (HUB, URL)),
        (None, {"hub": HUB}, None),
        (None, {"self": URL}, None),
        (f"<{HUB}>; rel=hub, <https://bank.example/feed>; rel=self", {}, None),
        ("<javascript:x>; rel=hub, </feed>; rel=self", {}, None),
        ("<" * 10_000, {}, None),
    ],
)
def test_hub_and_topic(header: str | None, links: dict[str, str], found: tuple[str, str] | None) -> None:
    assert hub_and_topic(header, links, URL) == found


@pytest.mark.parametrize("method", ["sha1", "sha256", "sha384", "sha512"])
def test_a_message_is_believed_with_the_right_signature_only(method: str) -> None:
    digest = hmac.new(b"secret", b"news", getattr(hashlib, method)).hexdigest()
    assert is_signed("secret", b"news", f"{method}={digest}")
    assert is_signed("secret", b"news", f"{method.upper()}={digest.upper()}")
    for header in (None, "", digest, f"md5={digest}", f"{method}=", f"{method}={digest[:-1]}", f"{method}={digest}é"):
        assert not is_signed("secret", b"news", header)
    assert not is_signed("other", b"news", f"{method}={digest}")
    assert not is_signed("secret", b"other", f"{method}={digest}")


@pytest.mark.parametrize(
    ("said", "lease"),
    [
        (None, LEASE), ("", LEASE), ("-5", LEASE), ("1e9", LEASE), ("9" * 5000, LEASE), ("²", LEASE),
        ("1", timedelta(hours=1)), ("86400", timedelta(days=1)), ("99999999999", timedelta(days=30)),
    ],
)  # fmt: skip
def test_a_lease_is_within_reason(said: str | None, lease: timedelta) -> None:
    assert granted_lease(said) == lease
    assert NOW < renew_at(NOW, lease) < NOW + lease


def test_a_hub_that_does_not_call_back_is_asked_ever_more_rarely_and_then_no_more() -> None:
    pauses = [ask_again_at(NOW, asked) for asked in range(1, MOST_ASKED)]
    assert pauses[:3] == [NOW + timedelta(hours=hours) for hours in (1, 2, 4)]
    assert ask_again_at(NOW, MOST_ASKED) is None


def test_a_hub_is_relied_on_while_it_tells_of_news() -> None:
    lately, later = NOW - timedelta(days=1), NOW + timedelta(days=1)
    assert is_relied_on(ACTIVE, later, lately, NOW)
    assert not is_relied_on(ACTIVE, later, None, NOW)
    assert not is_relied_on(ACTIVE, later, NOW - timedelta(days=20), NOW)
    assert not is_relied_on(ACTIVE, lately, lately, NOW)
    assert not is_relied_on(REFUSED, later, lately, NOW)

"""What feeds' servers are told, and who is not."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds.access import FeedAccess, checked_access, merged_access, read_headers, without_access
from tearsheet.feeds.catalogue.changing import change_feed
from tearsheet.masking import redacted
from tearsheet.urls import BadURL
from tests.support.feed_fakes import FakeClient, response, rss
from tests.support.poll_scene import PollScene

LOGIN = "Basic " + base64.b64encode(b"me:p:ss/w@rd").decode()


def test_a_login_is_taken_out_of_an_address() -> None:
    url, access = without_access("http://me:p%3Ass%2Fw%40rd@a.example:8080/rss?x=1")
    assert url == "http://a.example:8080/rss?x=1"
    assert (access.username, access.password, access.origin) == ("me", "p:ss/w@rd", "http://a.example:8080")
    assert access.headers_for(url) == {"Authorization": LOGIN}
    assert without_access("http://a.example/@home") == ("http://a.example/@home", FeedAccess())
    with pytest.raises(BadURL):
        without_access("http://me:secret@/rss")


@pytest.mark.parametrize(
    "elsewhere",
    ["https://a.example/", "http://a.example:81/", "http://b.a.example/", "http://a.example.evil.example/", ""],
)
def test_nothing_is_sent_to_another_origin(elsewhere: str) -> None:
    access = FeedAccess("me", "secret", None, "a=b", (("X-Key", "k"),), "http://a.example")
    assert set(access.headers_for("http://a.example/other")) == {"Authorization", "Cookie", "X-Key"}
    assert access.headers_for(elsewhere) == {}


def test_nothing_of_it_is_shown() -> None:
    access = FeedAccess(
        "someone", "hidden-word", "hidden-token", "hidden=cookie", (("X-Key", "hidden-key"),), "http://a.example"
    )
    assert "hidden" not in repr(access) and "someone" not in repr(access)
    assert access.kinds == ("user", "password", "token", "cookie", "header X-Key")
    access.hide()
    basic = base64.b64encode(b"someone:hidden-word").decode()
    for secret in ("hidden-word", "hidden-token", "hidden=cookie", "hidden-key", basic):
        assert secret not in redacted(f"it said {secret}!")


@pytest.mark.parametrize(
    "access",
    [
        FeedAccess("a:b", "c"), FeedAccess("a", "line\nbreak"), FeedAccess(token="a\r\nX-Evil: 1"),
        FeedAccess(headers=(("X Y", "1"),)), FeedAccess(headers=(("Host", "x"),)), FeedAccess(headers=(("authorization", "x"),)),
        FeedAccess(headers=(("X-Key", "a\nb"),)), FeedAccess(headers=tuple((f"X-{n}", "1") for n in range(21))),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused(access: FeedAccess) -> None:
    with pytest.raises(UsageError):
        checked_access(access)


def test_changes_leave_the_rest_as_it_is() -> None:
    old = FeedAccess("me", "secret", None, "a=b", (("X-Key", "k"), ("X-Other", "o")), "http://a.example")
    new = merged_access(old, {"cookie": "", "headers": read_headers(["x-key: new", "X-Other:"])})
    assert (new.username, new.password, new.cookie, new.headers) == ("me", "secret", None, (("x-key", "new"),))
    with pytest.raises(UsageError, match="Name: value"):
        read_headers(["secret-without-a-name"])


def test_polls_carry_it_and_the_user_agent_and_no_validators(tmp_path: Path) -> None:
    scene = PollScene(tmp_path)
    scene.add("http://me:p%3Ass%2Fw%40rd@a.example/rss")
    assert scene.row().url == "http://a.example/rss"
    login = {"headers": (("X-Key", "k"),)}
    change_feed(scene.database, 1, scene.now, user_agent="Mine/1", ignore_validators=True, access=login)
    client = FakeClient(lambda _: response(rss("http://a.example/1"), headers={"ETag": "x"}))
    asyncio.run(scene.poll(client))
    scene.later(days=1)
    asyncio.run(scene.poll(client))
    for request in client.requests:
        assert request.home_headers == {"Authorization": LOGIN, "X-Key": "k"}
        assert request.headers == {"User-Agent": "Mine/1"}
        assert "p:ss" not in repr(request) and LOGIN not in repr(request)
    change_feed(scene.database, 1, scene.now, url="https://a.example/rss")
    asyncio.run(scene.poll(client))
    assert client.requests[-1].home_headers == {}
    scene.database.close()

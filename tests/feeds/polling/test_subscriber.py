"""Subscriptions over time: asked for, renewed, refused, ended; and polling goes on whatever a hub does."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sqlalchemy import select, update

from tearsheet.feeds.polling.hub_calls import confirm_subscription, take_push
from tearsheet.feeds.polling.subscriber import Subscriber
from tearsheet.feeds.polling.websub_store import subscriptions_of
from tearsheet.feeds.tables import feed_subscriptions, feeds
from tearsheet.fetch import FetchError
from tests.support.feed_fakes import rss
from tests.support.feed_site import Answer, FeedSite
from tests.support.poll_scene import PollScene

FEED, HUB = "http://n.example/feed", "http://hub.example/"
LINKS = "".join(
    f"<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='{rel}' href='{url}'/>"
    for rel, url in (("hub", HUB), ("self", FEED))
)


@pytest.fixture
def scene(tmp_path: Path):
    scene = PollScene(tmp_path, callback_url="https://us.example/")
    yield scene
    scene.database.close()


@pytest.fixture
def site(scene: PollScene) -> FeedSite:
    return FeedSite({FEED: lambda _: rss(f"http://n.example/2026/{scene.now:%m-%d-%H-%M}.html", extra=LINKS), HUB: 202})


def subscription(scene: PollScene) -> Any:
    with scene.database.read() as connection:
        return connection.execute(select(feed_subscriptions)).first()


def ask(scene: PollScene, site: FeedSite) -> list[dict[str, str]]:
    """Ask the hubs whose turn it is; returns the forms that they were sent."""
    before = len(site.client.requests)
    subscriber = Subscriber(scene.database, site.client, scene.settings, clock=lambda: scene.now.timestamp())
    asyncio.run(subscriber.once())
    return [dict(parse_qsl((request.form or b"").decode())) for request in site.client.requests[before:]]


def begin(scene: PollScene, site: FeedSite) -> dict[str, str]:
    """Poll a feed that has a hub, and ask the hub."""
    scene.add(FEED)
    asyncio.run(scene.poll(site.client))
    [form] = ask(scene, site)
    return form


def call(scene: PollScene, form: dict[str, str], **changes: str) -> str | None:
    said = {
        "hub.mode": form["hub.mode"],
        "hub.topic": form["hub.topic"],
        "hub.challenge": "abc",
        "hub.lease_seconds": "864000",
    }
    said |= {name.replace("_", ".", 1): value for name, value in changes.items()}
    return confirm_subscription(scene.database, form["hub.callback"].rpartition("/")[2], said, scene.now)


def test_a_hub_is_asked_confirmed_and_asked_again_before_its_lease_ends(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    assert form["hub.callback"].startswith("https://us.example/websub/")
    assert (form["hub.mode"], form["hub.topic"], len(form["hub.secret"])) == ("subscribe", FEED, 64)
    assert ask(scene, site) == []
    assert call(scene, form) == "abc"
    assert subscription(scene).lease_until == scene.now + timedelta(days=10)
    scene.later(days=7)
    assert ask(scene, site) == []
    scene.later(days=1, hours=1)
    [renewal] = ask(scene, site)
    assert renewal == form
    assert call(scene, renewal) == "abc"
    assert subscription(scene).lease_until == scene.now + timedelta(days=10)


def test_a_hub_that_is_relied_on_is_asked_and_the_feed_polled_rarely(scene: PollScene, site: FeedSite) -> None:
    scene.settings.interval_minutes = 600
    call(scene, begin(scene, site))
    with scene.database.begin() as connection:
        connection.execute(update(feed_subscriptions).values(pushed_at=scene.now))
        connection.execute(update(feeds).values(poll_minutes=10, due_at=scene.now))
    asyncio.run(scene.poll(site.client))
    row = scene.row()
    assert row.next_fetch_attempt == scene.now + timedelta(minutes=600)
    assert "hub" in row.next_fetch_reason


@pytest.mark.parametrize("answer", [404, 500, (302, "http://hub.example/other"), FetchError("connect", "refused")])
def test_a_hub_that_does_not_work_is_left_alone_and_the_feed_is_polled(
    scene: PollScene, site: FeedSite, answer: Answer
) -> None:
    site.answers[HUB] = answer
    begin(scene, site)
    requests = 1
    for _ in range(6 * 20):
        scene.later(hours=4)
        requests += len(ask(scene, site))
    assert requests == 6
    assert subscription(scene).state == "refused"
    assert subscription(scene).note
    asyncio.run(scene.poll(site.client))
    assert scene.row().system_status == "Working"


def test_a_refusal_is_heard(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    assert call(scene, form, hub_mode="denied", hub_reason="not for you") == ""
    row = subscription(scene)
    assert (row.state, row.note) == ("refused", "denied: not for you")
    scene.later(days=2)
    assert ask(scene, site) == []


@pytest.mark.parametrize(
    "changes",
    [{"hub_topic": "http://bank.example/feed"}, {"hub_mode": "unsubscribe"}, {"hub_mode": "publish"}, {"hub_challenge": ""},
     {"hub_challenge": "x" * 5000}],
)  # fmt: skip
def test_what_was_not_asked_for_is_not_confirmed(scene: PollScene, site: FeedSite, changes: dict[str, str]) -> None:
    form = begin(scene, site)
    assert call(scene, form, **changes) is None
    assert subscription(scene).state == "asked"
    assert call(scene, form | {"hub.callback": "/websub/" + "0" * 48}) is None


def test_a_subscription_is_not_prolonged_by_whoever_repeats_a_call(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    assert call(scene, form) == "abc"
    scene.later(days=1)
    assert call(scene, form) is None


@pytest.mark.parametrize("why", ["off", "no callback"])
def test_a_hub_is_told_when_it_need_not_tell_any_more(scene: PollScene, site: FeedSite, why: str) -> None:
    form = begin(scene, site)
    call(scene, form)
    if why == "off":
        with scene.database.begin() as connection:
            connection.execute(update(feeds).values(active=False))
        [ending] = ask(scene, site)
        assert ending["hub.mode"] == "unsubscribe"
        assert call(scene, ending) == "abc"
    else:
        scene.settings.callback_url = ""
        assert ask(scene, site) == []  # nobody could call back
    assert subscription(scene) is None


def test_news_is_polled_soon_and_never_more_often_than_the_pace(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    call(scene, form)
    token, apart = form["hub.callback"].rpartition("/")[2], timedelta(minutes=10)
    signature = "sha256=" + hmac.new(form["hub.secret"].encode(), b"news", hashlib.sha256).hexdigest()
    polled = scene.now
    scene.later(minutes=1)
    for _ in range(5):
        assert take_push(scene.database, token, b"news", signature, scene.now, apart)
    row = scene.row()
    assert row.due_at == polled + apart
    assert "hub" in row.next_fetch_reason
    assert take_push(scene.database, token, b"other", signature, scene.now, apart) is False
    assert take_push(scene.database, "0" * 48, b"news", signature, scene.now, apart) is None


def test_without_an_address_of_ours_no_hub_is_asked(scene: PollScene, site: FeedSite) -> None:
    scene.settings.callback_url = ""
    scene.add(FEED)
    asyncio.run(scene.poll(site.client))
    assert subscription(scene) is None
    assert ask(scene, site) == []


def test_a_feed_with_another_hub_is_subscribed_to_anew(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    call(scene, form)
    site.answers[FEED] = rss("http://n.example/2026/x.html", extra=LINKS.replace(HUB, "http://hub2.example/"))
    scene.later(days=1)
    asyncio.run(scene.poll(site.client))
    [second] = ask(scene, site)
    assert site.asked[-1] == "http://hub2.example/"
    assert second["hub.secret"] != form["hub.secret"]
    assert call(scene, form) is None  # the old hub's token is forgotten


def test_a_subscription_that_is_renewed_is_one_since_it_began(scene: PollScene, site: FeedSite) -> None:
    form = begin(scene, site)
    began = scene.now
    confirmed = {"hub.mode": "subscribe", "hub.topic": FEED, "hub.challenge": "x", "hub.lease_seconds": "864000"}
    for days in (0, 8.5):
        scene.now = began + timedelta(days=days)
        if days:
            assert ask(scene, site)
        confirm_subscription(scene.database, form["hub.callback"].rpartition("/")[2], confirmed, scene.now)
        assert subscriptions_of(scene.database, [1, 2])[1].active_since == began
    scene.now += timedelta(days=11)  # its lease has ended
    assert ask(scene, site)
    confirm_subscription(scene.database, form["hub.callback"].rpartition("/")[2], confirmed, scene.now)
    assert subscriptions_of(scene.database, [1])[1].active_since == scene.now

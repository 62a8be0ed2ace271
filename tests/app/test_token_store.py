"""Tokens are stored as hashes, listed without secrets, revoked by name, and refused when they have ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.app.token_store import TokenStore
from tearsheet.app.tokens import WRITE, end_of_token
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tests.support.web_seed import open_services


@pytest.fixture
def store(tmp_path):
    with open_services(tmp_path) as services:
        yield TokenStore(services.database)


def test_a_token_is_found_by_its_secret_only(store):
    secret = store.create("paper", WRITE)
    found = store.find(secret)
    assert (found.name, found.may_write) == ("paper", True)
    assert store.find(secret + "x") is None
    assert store.find("") is None
    assert store.list()[0].last_used_at is not None


def test_the_secret_is_nowhere_on_disk(store, tmp_path):
    secret = store.create("paper")
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes()


def test_names_are_unique_and_rights_are_known(store):
    store.create("paper")
    with pytest.raises(UsageError, match="already"):
        store.create("paper")
    with pytest.raises(UsageError, match="not a right"):
        store.create("other", "admin")
    with pytest.raises(UsageError, match="name"):
        store.create("  ")
    with pytest.raises(NotFoundError):
        store.revoke("unknown")


NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_a_token_ends(tmp_path):
    now = NOW
    with open_services(tmp_path) as services:
        store = TokenStore(services.database, lambda: now.timestamp())
        secret = store.create("guest", expires_at=end_of_token(now, 90, None))
        now += timedelta(days=89)
        found = store.find(secret)
        assert found is not None and not found.has_expired(now)
        used = store.list()[0].last_used_at
        now += timedelta(days=1)
        assert found.has_expired(now) and store.find(secret) is not None
        assert store.list()[0].last_used_at == used  # a refusal is no use


def test_a_token_for_collections_names_those_that_exist(tmp_path):
    with open_services(tmp_path) as services:
        add_feeds(services.database, [NewFeed("https://a.example/rss", collections=("B", "A"))], NOW)
        store = TokenStore(services.database)
        guest = store.find(store.create("guest", collections=["B", "A", "B"]))
        assert guest is not None and guest.collections == ("A", "B")
        everyone = store.find(store.create("all"))
        assert everyone is not None and everyone.collections is None
        with pytest.raises(NotFoundError, match="collections list"):
            store.create("other", collections=["C"])
        assert [token.name for token in store.list()] == ["guest", "all"]

"""Tokens are stored as hashes, listed without secrets, and revoked by name."""

from __future__ import annotations

import pytest

from tearsheet.app.tokens import WRITE, TokenStore
from tearsheet.errors import NotFoundError, UsageError
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

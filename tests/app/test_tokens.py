"""Tokens are stored as hashes, listed without secrets, and revoked by name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tearsheet.app.tokens import WRITE, TokenStore
from tearsheet.cli import token as token_commands
from tearsheet.cli.context import Globals
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
    with pytest.raises(UsageError, match="no right"):
        store.create("other", "admin")
    with pytest.raises(UsageError, match="name"):
        store.create("  ")
    with pytest.raises(NotFoundError):
        store.revoke("unknown")


def test_the_command_makes_lists_and_revokes(tmp_path, monkeypatch):
    monkeypatch.setattr(Globals, "data", tmp_path)
    runner = CliRunner()
    made = runner.invoke(token_commands.app, ["create", "laptop", "--write"])
    assert made.exit_code == 0
    secret = made.stdout.strip()
    with open_services(tmp_path) as services:
        found = TokenStore(services.database).find(secret)
        assert found is not None and found.may_write
    listed = runner.invoke(token_commands.app, ["list", "--json"])
    assert '"laptop"' in listed.stdout and secret not in listed.stdout
    assert runner.invoke(token_commands.app, ["revoke", "laptop"]).exit_code == 0
    assert runner.invoke(token_commands.app, ["revoke", "laptop"]).exit_code == NotFoundError.exit_code

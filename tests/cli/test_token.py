"""Tokens by command: made, listed without their secrets, revoked."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from tearsheet.app.token_store import TokenStore
from tearsheet.cli import token as token_commands
from tearsheet.cli.context import Globals
from tearsheet.clock import utc_now
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tests.support.web_seed import open_services


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


def test_a_token_may_end_and_may_be_for_some_collections(tmp_path, monkeypatch):
    monkeypatch.setattr(Globals, "data", tmp_path)
    with open_services(tmp_path) as services:
        add_feeds(services.database, [NewFeed("https://a.example/rss", collections=("Local", "World"))], utc_now())
    runner = CliRunner()
    arguments = ["create", "guest", "--until", "2999-01-31", "--collection", "World", "--collection", "Local"]
    assert runner.invoke(token_commands.app, arguments).exit_code == 0
    shown = runner.invoke(token_commands.app, ["list"]).stdout
    assert "Local, World" in shown and "2999-0" in shown and "(" not in shown
    [listed] = json.loads(runner.invoke(token_commands.app, ["list", "--json"]).stdout)
    assert (listed["collections"], listed["expires_at"][:10]) == (["Local", "World"], "2999-02-01")
    shown = runner.invoke(token_commands.app, ["list"]).stdout
    assert "World" in shown and "2999" in shown
    both = runner.invoke(token_commands.app, ["create", "other", "--days", "3", "--until", "2999-01-31"])
    assert both.exit_code == UsageError.exit_code

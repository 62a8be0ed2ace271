"""Tokens by command: made, listed without their secrets, revoked."""

from __future__ import annotations

from typer.testing import CliRunner

from tearsheet.app.tokens import TokenStore
from tearsheet.cli import token as token_commands
from tearsheet.cli.context import Globals
from tearsheet.errors import NotFoundError
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

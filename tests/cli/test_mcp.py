"""`tearsheet mcp`: what is said before any client speaks."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from tearsheet.app.services import Services
from tearsheet.cli.mcp import _service
from tearsheet.settings import Settings
from tests.support.tearsheet_command import in_process


def test_without_its_library_one_line_names_the_extra(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("tearsheet.agents.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    done = in_process("mcp", data=tmp_path)
    assert done.exit_code == 4
    assert done.stderr.strip() == "tearsheet: the MCP server needs its library: pip install 'tearsheet[mcp]'"


def test_a_host_without_http_is_a_mistake(tmp_path):
    done = in_process("mcp", "--port", "8800", data=tmp_path)
    assert done.exit_code == 2 and "are for --http" in done.stderr


def test_answers_that_could_hold_nothing_are_a_wrong_setting(tmp_path):
    (tmp_path / "config.toml").write_text("[mcp]\nanswer_characters = 5\n")
    done = in_process("mcp", data=tmp_path)
    assert done.exit_code == 4 and "mcp.answer_characters" in done.stderr


def test_a_person_who_types_it_is_told_what_it_waits_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    with Services(Settings(tmp_path)) as services:
        _service(services, http=False, allow_writes=False)
    assert "For agents:    on stdin and stdout" in capsys.readouterr().err

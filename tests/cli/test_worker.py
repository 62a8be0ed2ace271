"""`tearsheet worker`: which stages there are, and how several workers are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tearsheet.cli.context import Globals
from tearsheet.cli.worker import _command
from tests.support.tearsheet_command import in_process


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["translator"], 5, "has no stage 'translator'; it has fetcher, parser, importer, archiver"),
        (["ingest", "fetcher"], 5, "has no stage 'ingest'"),
        (["hist-fetcher"], 5, "the pipeline queue-fetcher has no stage 'hist-fetcher'"),
        (["fetcher", "-p", "nope"], 5, "there is no pipeline 'nope'"),
        (["queuer", "-p", "csv"], 2, "the pipeline csv reads files"),
    ],
)
def test_a_stage_that_cannot_be_worked_on_is_told_before_anything_starts(tmp_path, words, code, said):
    done = in_process("worker", *words, data=tmp_path)
    assert done.exit_code == code
    assert said in " ".join(done.output.split())
    assert "at work" not in done.output


def test_every_process_gets_the_options_of_the_first(monkeypatch):
    monkeypatch.setattr(Globals, "data", Path("here"))
    monkeypatch.setattr(Globals, "flags", {"log.level": "debug", "log.format": None})
    options = ["--data", "here", "--log-level", "debug"]
    assert _command(["fetcher"]) == [sys.executable, "-P", "-m", "tearsheet", *options, "worker", "fetcher"]

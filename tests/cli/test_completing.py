"""Names that shells complete: topics, sources, collections and queues, as each shell's script asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.app.queues import with_broker
from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.clock import utc_now
from tearsheet.engines.broker import Output
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import Settings
from tearsheet.story import Story
from tearsheet.topics import NewTopic
from tearsheet.topics.store import create_topic
from tearsheet.work import new_message

ASKED = {
    "topic status B": "Bridge",
    "sources show pap": "paper.example",
    "search x --source pap": "paper.example",
    "search x --collection Loc": "Local",
    "collections show Loc": "Local",
    "queues peek fetcher-i": "fetcher-in",
    "topi": "topic",
}
HOSTILE = "Loc\\$(touch hacked)"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    with Services(Settings(folder)) as services:
        create_topic(services.database, NewTopic("Bridge", "water"), 0)
        add_feeds(services.database, [NewFeed("https://paper.example/rss", collections=("Local", HOSTILE))], utc_now())
        with_broker(services, lambda broker: broker.publish([Output("fetcher-in", new_message(Story()))]))
    return folder


def asked_by(shell: str, data: Path, line: str) -> list[str]:
    """What is offered to a shell, as its script hands the line over."""
    typed = f"tearsheet --data {data} {line}"
    given = {"_TEARSHEET_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": typed}
    given |= {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_WORD_TO_COMPLETE": line.split()[-1]}
    given |= {"COMP_WORDS": typed.replace(" ", "\n"), "COMP_CWORD": str(len(typed.split()) - 1)}
    shown = CliRunner().invoke(app, prog_name="tearsheet", env=given).output
    offered = shown.removeprefix("_arguments '*: :((").removesuffix("))'\n") if shell == "zsh" else shown
    return [one.partition('":"')[0].partition("\t")[0].partition(":::")[0].strip('"') for one in offered.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
@pytest.mark.parametrize(("line", "wanted"), ASKED.items())
def test_names_are_completed_in_every_shell(data: Path, shell: str, line: str, wanted: str):
    assert wanted in asked_by(shell, data, line)


def test_a_name_that_zsh_would_run_is_not_offered_to_it(data: Path):
    assert asked_by("zsh", data, "collections show Loc") == ["Local"]
    assert asked_by("fish", data, "collections show Loc") == [HOSTILE, "Local"]

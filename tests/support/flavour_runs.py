"""What the tests of the flavours share: pages, WARC files of them, and a look at what a run has left behind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tearsheet.app.services import Services
from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.names import parse_name
from tearsheet.engines.index.port import IndexedStory
from tearsheet.query import parse_query
from tearsheet.settings import load_settings
from tearsheet.story import Story
from tearsheet.work.ledger_entry import DROPPED
from tests.support.tearsheet_command import in_process

_WORDS = "harbour council budget winter bridge school river market station theatre garden hospital".split()


def page(name: str, *, canonical: str | None = None) -> bytes:
    """An article that says its name in every sentence."""
    sentences = [
        f"The {_WORDS[n % 12]} report about {name} was discussed again in the town on day {n}." for n in range(12)
    ]
    paragraphs = "".join(f"<p>{' '.join(sentences[n : n + 3])}</p>" for n in range(0, 12, 3))
    link = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>About {name}</title>{link}</head>'
        f"<body><article><h1>About {name}</h1>{paragraphs}</article></body></html>"
    ).encode()


def configure(data: Path, text: str) -> None:
    """Write a data folder's config.toml, with little patience."""
    data.mkdir(parents=True, exist_ok=True)
    quick = "[pipeline]\nimport_seconds = 0.2\nparser_processes = 1\nretry_seconds = 0.2\nmax_retry_seconds = 0.5\n"
    (data / "config.toml").write_text(f"{quick}{text}", "utf-8")


def run_flavour(data: Path, *words: str | Path, code: int = 0) -> dict[str, Any]:
    """`tearsheet pipeline run … --json`: its summary."""
    done = in_process("--quiet", "pipeline", "run", *words, "--json", data=data)
    assert done.exit_code == code, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def archived(data: Path) -> list[tuple[str, Story]]:
    """Every archived story with the prefix of its file."""
    found = []
    for path in sorted((data / "archive").rglob("*.warc.gz")):
        name = parse_name(path.name)
        assert name is not None
        with StoryArchiveReader(path) as reader:
            found += [(name.prefix, story) for story in reader]
            assert not reader.damages
    return found


@contextmanager
def looking_at(data: Path) -> Iterator[Services]:
    """The services of a data folder that nobody works on."""
    with Services(load_settings(data, environ={})) as services:
        yield services


def indexed(services: Services) -> dict[str, IndexedStory]:
    """Every indexed story by its address."""
    services.index.refresh()
    found: dict[str, IndexedStory] = {}
    token = None
    while True:
        shown = services.index.search(parse_query("*"), limit=100, token=token)
        found |= {story.url: story for story in shown.stories}
        token = shown.next_token
        if token is None:
            assert len(found) == services.index.count(parse_query("*")), "an address is there twice"
            return found


def dropped(services: Services) -> Counter[str]:
    """How many stories each stage left out, by `stage/reason`."""
    return Counter({f"{c.stage}/{c.reason}": c.stories for c in services.ledger.counts() if c.status == DROPPED})

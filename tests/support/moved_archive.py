"""A data folder whose archive files were moved to a store: copied there, proved, and removed here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tearsheet.app.pipelines import archiver
from tearsheet.app.services import Services
from tearsheet.pipeline.importer import Importer
from tearsheet.pipeline.parser import Parser
from tearsheet.story import Story
from tests.support.archive_stories import archive_all
from tests.support.web_seed import NOW, TODAY, article, open_services

MOVING = {"archive.stores": ["copies"], "archive.remove_local": True, "archive.local_days": 0.0}
"""Settings with which each file goes to a store as soon as it can, and does not stay here."""


def open_moving(data: Path) -> Services:
    """The services of a data folder with these settings."""
    return open_services(data, **MOVING)


def collect(services: Services, numbers: Iterable[int] = range(3)) -> list[Story]:
    """Stories as the pipeline leaves them: parsed, indexed and archived, in one file."""
    parser = Parser(clock=lambda: NOW.timestamp())
    stories = [parser.process(article("harbour-herald.example", "en", number, TODAY)) for number in numbers]
    Importer(services.index).process_batch(stories)
    services.index.refresh()
    archive_all(archiver(services, services.settings.archive.prefix), stories)
    return stories


def move_away(services: Services) -> None:
    """Copy every file to the stores, and remove it here."""
    report = services.uploader.run(all_now=True)
    assert not report.failures
    assert not any(file.local for file in services.archive.files())
    assert not list(services.captures.copies.folder.rglob("*.warc.gz"))


def copy_of(services: Services) -> Path:
    """The only copy in the store, to be damaged."""
    (path,) = (services.data / "copies").rglob("*.warc.gz")
    return path

"""The blob stores and event logs that the contract suites run against: each opens a fresh place of one kind, again and again."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from tearsheet.engines.blobs_folder import open_folder_blobs
from tearsheet.engines.events_jsonl import open_jsonl_events
from tearsheet.engines.ports import Blobs, Events


class BlobsHarness:
    name = "folder"
    keeps_versions = False

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self) -> Blobs:
        return open_folder_blobs("file:///blobs", self.place)


class EventsHarness:
    name = "jsonl"

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self) -> Events:
        return open_jsonl_events("jsonl:///events", self.place)

    def topic(self) -> str:
        """A name that no other test uses."""
        return f"test-{uuid.uuid4().hex[:12]}"


BLOBS = [pytest.param(BlobsHarness, id="folder")]
EVENTS = [pytest.param(EventsHarness, id="jsonl")]

"""The blob stores and event logs that the contract suites run against: each opens a fresh place of one kind, again and again."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lazy_loader
import pytest
from confluent_kafka.admin import AdminClient

from tearsheet.engines.blobs.folder import open_folder_blobs
from tearsheet.engines.blobs.port import Blobs
from tearsheet.engines.blobs.s3 import open_s3_blobs
from tearsheet.engines.events.jsonl import JsonlEvents
from tearsheet.engines.events.kafka import open_kafka_events
from tearsheet.engines.events.port import Events
from tests.support.servers import server_url

boto3 = lazy_loader.load("boto3")


class BlobsHarness:
    name = "folder"
    keeps_versions = False

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path
        (tmp_path / "blobs").mkdir()

    def open(self) -> Blobs:
        return open_folder_blobs("blobs", self.place)

    def remove(self) -> None:
        """Leave nothing behind on a server."""


class S3Harness(BlobsHarness):
    """A bucket of its own for each test, with versions, emptied afterwards."""

    name = "s3"
    keeps_versions = True

    def prepare(self, tmp_path: Path) -> None:
        server = urlsplit(server_url("s3"))
        self.bucket = f"test-{uuid.uuid4().hex}"
        self.url = server._replace(path=f"/{self.bucket}").geturl()
        self.client = boto3.client(
            "s3",
            endpoint_url=f"http://{server.hostname}:{server.port}",
            aws_access_key_id=server.username,
            aws_secret_access_key=server.password,
            region_name="us-east-1",
        )
        self.client.create_bucket(Bucket=self.bucket)
        self.client.put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"})

    def open(self) -> Blobs:
        return open_s3_blobs(self.url, patience=5)

    def remove(self) -> None:
        for page in self.client.get_paginator("list_object_versions").paginate(Bucket=self.bucket):
            found: Any = [
                {"Key": item["Key"], "VersionId": item["VersionId"]}
                for item in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            ]
            if found:
                self.client.delete_objects(Bucket=self.bucket, Delete={"Objects": found, "Quiet": True})
        self.client.delete_bucket(Bucket=self.bucket)
        self.client.close()


class S3FolderHarness(S3Harness):
    """The same below a folder of the bucket; what lies beside it is none of our business."""

    name = "s3-folder"

    def prepare(self, tmp_path: Path) -> None:
        super().prepare(tmp_path)
        self.url += "/some/folder"
        for key in ("some/folderless", "some/other", "zz"):
            self.client.put_object(Bucket=self.bucket, Key=key, Body=b"not ours")


class EventsHarness:
    name = "jsonl"

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self) -> Events:
        return JsonlEvents(self.place / "events")

    def topic(self) -> str:
        """A name that no other test uses."""
        return f"test-{uuid.uuid4().hex[:12]}"

    def remove(self) -> None:
        """Leave nothing behind on a server."""


class KafkaHarness(EventsHarness):
    name = "kafka"

    def prepare(self, tmp_path: Path) -> None:
        self.made: list[str] = []

    def open(self) -> Events:
        return open_kafka_events(server_url("kafka") + "?partitions=3", patience=20)

    def topic(self) -> str:
        self.made.append(super().topic())
        return self.made[-1]

    def remove(self) -> None:
        if self.made:
            admin = AdminClient({"bootstrap.servers": urlsplit(server_url("kafka")).netloc})
            for future in admin.delete_topics(self.made).values():
                future.exception(10)


BLOBS = [
    pytest.param(BlobsHarness, id="folder"),
    pytest.param(S3Harness, id="s3", marks=pytest.mark.engine("s3")),
    pytest.param(S3FolderHarness, id="s3-folder", marks=pytest.mark.engine("s3")),
]
EVENTS = [
    pytest.param(EventsHarness, id="jsonl"),
    pytest.param(KafkaHarness, id="kafka", marks=pytest.mark.engine("kafka")),
]

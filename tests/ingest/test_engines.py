"""The ingest on Kafka and S3: the same messages and objects as on the embedded engines, also when a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lazy_loader
import pytest
from confluent_kafka.admin import AdminClient

from tearsheet.app.services import Services
from tearsheet.ingest.workers import WORKERS
from tearsheet.settings import Settings
from tearsheet.settings.sections import EngineSettings, IngestSettings
from tests.support.ingest_site import Site, prose
from tests.support.patience import PATIENCE
from tests.support.servers import server_url

boto3 = lazy_loader.load("boto3")

PAGES = 6


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    for number in range(PAGES):
        site.page(f"/p/{number}", f"<title>Page {number}</title>{prose(1300)}<img src=/i.png>")
    site.file("/i.png")
    with site.in_thread():
        yield site


@pytest.fixture
def bucket() -> Iterator[str]:
    server = urlsplit(server_url("s3"))
    name = f"test-{uuid.uuid4().hex}"
    client = boto3.client(
        "s3",
        endpoint_url=f"http://{server.hostname}:{server.port}",
        aws_access_key_id=server.username,
        aws_secret_access_key=server.password,
        region_name="us-east-1",
    )
    client.create_bucket(Bucket=name)
    yield name
    for item in client.list_objects_v2(Bucket=name).get("Contents", []):
        client.delete_object(Bucket=name, Key=item["Key"])
    client.delete_bucket(Bucket=name)
    client.close()


@pytest.fixture
def environment() -> Iterator[str]:
    name = f"test{uuid.uuid4().hex[:8]}"
    yield name
    admin = AdminClient({"bootstrap.servers": urlsplit(server_url("kafka")).netloc})
    topics = [topic for topic in admin.list_topics(timeout=10).topics if topic.startswith(f"sandcrawler-{name}.")]
    for future in admin.delete_topics(topics).values() if topics else ():
        future.exception(10)


def settings_for(
    folder: Path, site: Site, bucket: str = "sandcrawler", environment: str = "prod", *, large: bool
) -> Settings:
    engines = EngineSettings()
    if large:
        engines.events = server_url("kafka") + "?partitions=2"
        engines.blobs = urlsplit(server_url("s3"))._replace(path=f"/{bucket}").geturl()
    ingest = IngestSettings(environment=environment, bucket=bucket)
    return Settings(folder, engines=engines, ingest=ingest, fetch=site.settings(obey_robots=False))


def ask(services: Services, numbers: range) -> None:
    requests = [(f"r{n}", {"ingest_type": "html", "base_url": f"http://a.example/p/{n}"}) for n in numbers]
    services.events.publish(services.ingest.names.requests, requests)


def outcome(services: Services) -> dict[str, Any]:
    """Everything that others can see, without times and places."""
    names = services.ingest.names
    results = {}
    for key, value in services.events.latest(names.results).items():
        value = json.loads(json.dumps(value))
        value["terminal"].pop("terminal_dt")
        for name in ("datetime", "warc_path", "warc_offset", "warc_csize"):
            value["cdx"].pop(name)
        for resource in value["html_resources"]:
            resource.pop("timestamp")
        value.pop("unchanged", None)
        results[key] = value
    blobs = {blob.key: services.ingest.blobs.get(blob.key) for blob in services.ingest.blobs.list()}
    return {"results": results, "texts": services.events.latest(names.teixml), "blobs": blobs}


def drain(services: Services, expected: int) -> None:
    """Let the workers work until everything is there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        services.ingest.run_workers(WORKERS, once=True)
        if len(list(services.ingest.blobs.list())) >= expected and all(
            services.ingest.store.result_of(f"http://a.example/p/{number}") for number in range(expected)
        ):
            return
    raise AssertionError("the workers did not get done")


def on_embedded_engines(tmp_path: Path, site: Site) -> dict[str, Any]:
    with Services(settings_for(tmp_path / "small", site, large=False)) as services:
        ask(services, range(PAGES))
        drain(services, PAGES)
        return outcome(services)


@pytest.mark.engine("kafka")
@pytest.mark.engine("s3")
def test_the_same_requests_give_the_same_on_kafka_and_s3(tmp_path, site, bucket, environment):
    with Services(settings_for(tmp_path / "large", site, bucket, environment, large=True)) as services:
        ask(services, range(PAGES))
        drain(services, PAGES)
        found = outcome(services)
    expected = on_embedded_engines(tmp_path, site)
    assert found == expected
    assert len(found["blobs"]) == len(found["texts"]) == len(found["results"]) == PAGES


@pytest.mark.slow
@pytest.mark.engine("kafka")
@pytest.mark.engine("s3")
def test_a_worker_that_is_killed_again_and_again_loses_nothing(tmp_path, site, bucket, environment):
    settings = settings_for(tmp_path / "large", site, bucket, environment, large=True)
    assert site.web is not None
    variables = os.environ | {
        "TEARSHEET_DATA": str(settings.data),
        "TEARSHEET_ENGINES_EVENTS": settings.engines.events,
        "TEARSHEET_ENGINES_BLOBS": settings.engines.blobs,
        "TEARSHEET_INGEST_ENVIRONMENT": environment,
        "TEARSHEET_INGEST_BUCKET": bucket,
        "TEARSHEET_FETCH_ALLOW_ADDRESSES": "127.0.0.0/8",
        "TEARSHEET_FETCH_CONNECT_TO": f"*=127.0.0.1:{site.web.port}",
        "TEARSHEET_FETCH_OBEY_ROBOTS": "false",
    }
    with Services(settings) as services:
        services.database  # noqa: B018 - migrates before workers start
        ask(services, range(PAGES))
        for pause in (4.0, 6.0, 8.0):
            worker = subprocess.Popen([sys.executable, "-m", "tearsheet", "worker", *WORKERS], env=variables)
            time.sleep(pause)
            worker.send_signal(signal.SIGKILL)
            worker.wait(PATIENCE)
        drain(services, PAGES)
        found = outcome(services)
    assert found == on_embedded_engines(tmp_path, site)

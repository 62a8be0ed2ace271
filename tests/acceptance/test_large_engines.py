"""The demo on PostgreSQL, RabbitMQ, OpenSearch and S3 at once, by worker processes, with and without trouble."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from sqlalchemy import func, select

from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.polling import unqueued_stories
from tearsheet.feeds.tables import feeds
from tearsheet.settings import load_settings
from tests.support.brokers import fresh_vhost
from tests.support.demo_outcome import check
from tests.support.paths import ROOT
from tests.support.servers import server_url
from tests.support.tearsheet_command import as_toml, command, environment, write_config

WORKERS = (("queuer", "fetcher"), ("parser",), ("importer",), ("archiver",))
SCRIPTS = ROOT / "engines"
pytestmark = [
    pytest.mark.engine("postgresql"),
    pytest.mark.engine("rabbitmq"),
    pytest.mark.engine("opensearch"),
    pytest.mark.engine("s3"),
    pytest.mark.restarts,
    pytest.mark.timeout(900),
]
RESTART_SECONDS = 240.0
"""How long a server may take to restart on a busy machine: OpenSearch took 79 s there, and 14 s on a quiet one."""


@pytest.fixture
def newsroom(request) -> Newsroom:
    return Newsroom(seed=4, articles=getattr(request, "param", 60))


@pytest.fixture
def server(newsroom) -> Iterator[NewsroomServer]:
    with serve_in_thread(newsroom) as server:
        yield server


@pytest.fixture
def database_url() -> Iterator[str]:
    name = f"demo_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url("postgresql"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield urlsplit(server_url("postgresql"))._replace(path=f"/{name}").geturl()
    with psycopg.connect(server_url("postgresql"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def data(tmp_path: Path, request, database_url, newsroom, server) -> Path:
    """A data folder whose settings name large engines only."""
    index = urlsplit(server_url("opensearch"))._replace(path=f"/demo-{uuid.uuid4().hex[:12]}").geturl()
    engines = {"engines.database": database_url, "engines.broker": fresh_vhost(request), "engines.index": index}
    stores = [server_url("s3") + f"/demo-{uuid.uuid4().hex[:12]}"]
    more = {"archive.stores": stores, "archive.max_seconds": 3.0, "engines.patience_seconds": RESTART_SECONDS}
    write_config(tmp_path, server, newsroom, **engines, **more)
    with Services(load_settings(tmp_path, environ={})) as services:
        add_feeds(services.database, [NewFeed(feed.url, feed.name) for feed in server.feed_urls()], utc_now())
    return tmp_path


PATIENCE_SECONDS = 180.0
QUIET_SECONDS = 9.0
"""RabbitMQ tells every five seconds what is leased, and a page that hangs is leased for two: nothing seen for less is no end."""


class Crew:
    """The worker processes of a run."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._log = (data / "workers.log").open("wb")
        self.workers = {stages[0]: self._start(stages) for stages in WORKERS}

    def _start(self, stages: tuple[str, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command("worker", *stages, data=self._data), stdout=self._log, stderr=self._log, env=environment({})
        )

    def kill_and_replace(self, stage: str) -> None:
        self.workers[stage].kill()
        self.workers[stage].wait()
        self.workers[stage] = self._start((stage,))

    def check_alive(self) -> None:
        for name, worker in self.workers.items():
            assert worker.poll() is None, f"{name} ended with {worker.returncode}\n{self.words()}"

    def stop(self) -> list[int]:
        for worker in self.workers.values():
            worker.send_signal(signal.SIGTERM)
        codes = [worker.wait(60) for worker in self.workers.values()]
        self._log.close()
        return codes

    def words(self) -> str:
        return (self._data / "workers.log").read_text("utf-8", "replace")[-5000:]


def left_to_do(services: Services) -> int:
    """Feeds that are due or being polled, entries that are not queued, messages that are not settled."""

    async def messages() -> int:
        broker = services.open_broker()
        try:
            return sum(depth.total for name, depth in (await broker.depths()).items() if not name.endswith("-quar"))
        finally:
            await broker.close()

    due = select(func.count()).where(feeds.c.active, feeds.c.system_enabled, feeds.c.due_at <= utc_now())
    with services.database.read() as connection:
        polling = connection.execute(due).scalar_one()
        busy = connection.exec_driver_sql(
            "SELECT count(*) FROM feeds WHERE queued OR last_fetch_attempt IS NULL"
        ).scalar_one()
    return int(polling) + int(busy) + len(unqueued_stories(services.database, 10)) + asyncio.run(messages())


def work_until_done(data: Path, crew: Crew, deadline: float) -> None:
    last_seen = time.monotonic()
    with Services(load_settings(data, environ={})) as services:
        while time.monotonic() - last_seen < QUIET_SECONDS:
            assert time.monotonic() < deadline, f"not done in time\n{crew.words()}"
            crew.check_alive()
            if left_to_do(services):
                last_seen = time.monotonic()
            time.sleep(0.3)


def changed(config: str, settings: dict[str, object]) -> str:
    """A configuration with some settings replaced."""
    lines = config.splitlines()
    for name, value in settings.items():
        key = name.partition(".")[2]
        lines = [f"{key} = {as_toml(value)}" if line.startswith(f"{key} = ") else line for line in lines]
    return "\n".join(lines) + "\n"


def archived(data: Path) -> int:
    with Services(load_settings(data, environ={})) as services:
        return services.archive.totals().stories


def wait_until(holds: Callable[[], bool], what: str, crew: Crew) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"in vain: {what}\n{crew.words()}"
        crew.check_alive()
        time.sleep(0.2)


def restart(server: str) -> None:
    for verb in ("stop", "start"):
        done = subprocess.run(
            [SCRIPTS / server, verb],
            check=False,
            capture_output=True,
            text=True,
            env=os.environ,
            timeout=RESTART_SECONDS,
        )
        assert done.returncode == 0, f"{server} {verb}: {done.stdout} {done.stderr}"


def test_four_workers_on_large_engines_end_with_what_the_embedded_ones_do(data, newsroom):
    crew = Crew(data)
    try:
        work_until_done(data, crew, time.monotonic() + 240)
    finally:
        codes = crew.stop()
    assert codes == [0, 0, 0, 0], crew.words()
    check(data, newsroom)


@pytest.mark.parametrize("newsroom", [200], indirect=True)
def test_servers_that_restart_and_a_worker_that_is_killed_change_nothing(data, newsroom, server):
    # A second between two pages of a site keeps everybody at work while the trouble lasts.
    slow = {
        "fetch.interval_seconds": 1.0,
        "fetch.manners_off": dict.fromkeys(server.connect_to(), "retry-after failing"),
    }
    (data / "config.toml").write_text(changed((data / "config.toml").read_text(), slow))
    crew = Crew(data)
    try:
        wait_until(lambda: archived(data) > 0, "the first story is archived", crew)
        crew.kill_and_replace("parser")
        for trouble in ("rabbitmq", "postgresql", "opensearch"):
            before = archived(data)
            restart(trouble)
            went_on = f"the work goes on after {trouble} came back"
            wait_until(lambda: archived(data) > before, went_on, crew)  # noqa: B023 - called at once
        work_until_done(data, crew, time.monotonic() + 360)
    finally:
        codes = crew.stop()
    assert codes == [0, 0, 0, 0], crew.words()
    check(data, newsroom)

"""Every kind of call of a small run meets every kind of fault, once each: the run goes on or ends with a reason.

A second run without a fault then ends well. Whatever happened, each story is in the index and in the archive once, or the ledger
says why not. The quick sweep has each fault at least once, and of the kinds of calls as many; the slow one has every pair.
"""

from __future__ import annotations

import gzip
import uuid
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from typer.testing import Result

from tearsheet.engines.blobs import s3
from tearsheet.engines.index import search_server_clients
from tearsheet.pipeline.queuers import remote
from tearsheet.pipeline.queuers.http_input import opened_url
from tests.support.blob_stores import S3Harness
from tests.support.database_faults import DATABASE_FAULTS, DatabaseFaults, spoiled_database
from tests.support.databases import PostgresHarness
from tests.support.fault_proxy import FAULTS, FaultProxy, Plan, in_front_of
from tests.support.flavour_runs import archived, configure, indexed, looking_at, page
from tests.support.indexes import OpenSearchHarness
from tests.support.rss_fetcher_server import rss_fetcher
from tests.support.servers import server_url
from tests.support.tearsheet_command import in_process

STORIES = 3
MOST_QUICK = 12
HEAD = "collect_date,stories_id,media_id,downloads_id,feeds_id,language,url\n"
QUICK = "[engines]\npatience_seconds = 3.0\n"
ENDS = {0, 3, 7}
"""Done; in part, and the rest is taken next time; a server refuses us."""


def plans(calls: Sequence[str], faults: Sequence[str], *, quick: bool) -> list[Plan]:
    """Each kind of call with each fault; if it is to be quick, each fault once, and of the kinds as many."""
    kinds = list(dict.fromkeys(calls))
    if not quick:
        firsts = [(kind, number) for kind in kinds for number in range(min(2, calls.count(kind)))]
        return [Plan(kind, number, fault) for kind, number in firsts for fault in faults]
    many = max(len(faults), min(len(kinds), MOST_QUICK))
    chosen = [
        kinds[number * len(kinds) // many if len(kinds) > many else number % len(kinds)] for number in range(many)
    ]
    return [Plan(kind, 0, faults[number % len(faults)]) for number, kind in enumerate(chosen)]


@pytest.fixture(autouse=True)
def hasty(monkeypatch) -> None:
    """An answer that does not come is given up soon."""
    monkeypatch.setattr(search_server_clients, "_REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(s3, "ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(remote, "opened_url", partial(opened_url, timeout=1.0))


class Scene(ABC):
    """A small run on a data folder of its own, whose calls to one server pass a proxy."""

    faults: Sequence[str] = FAULTS

    def __init__(self, folder: Path, proxy: FaultProxy | DatabaseFaults) -> None:
        self.folder = folder
        self.proxy = proxy
        self.data = folder / "data"
        self.expected = {f"http://old.example/story-{number}" for number in range(1, STORIES + 1)}

    @abstractmethod
    def begin(self) -> None:
        """Make a fresh data folder."""

    def end(self) -> None:  # noqa: B027 - most scenes leave nothing
        """Leave nothing behind."""

    def run(self) -> Result:
        """The command, as typed."""
        return in_process("--quiet", "pipeline", "run", "historical", self.folder / "old.csv", "--json", data=self.data)

    def again(self) -> Result:
        """What a user does next. A run does not try copies again while their pause lasts; it says what does."""
        done = self.run()
        if done.exit_code == 3 and "`tearsheet archive upload --now` at once" in " ".join(done.output.split()):
            return in_process("archive", "upload", "--now", data=self.data)
        return done

    def check(self) -> None:
        """Each story once, or a reason."""
        with looking_at(self.data) as services:
            found = set(indexed(services))
            kept = Counter(story.url for _, story in archived(self.data))
            left_out = {url for url in self.expected - found if any(row.reason for row in services.ledger.explain(url))}
        assert found <= self.expected
        assert kept == dict.fromkeys(found, 1), "indexed and archived are the same, each once"
        assert self.expected - found == left_out, "no story without a row"

    def met(self, plan: Plan | None) -> int:
        """Do a run, as planned, and a second one without a fault; returns how the first ended."""
        self.begin()
        try:
            self.proxy.begin(plan)
            first = self.run()
            told = f"{plan}: {first.exit_code} {first.output}"
            assert first.exception is None or isinstance(first.exception, SystemExit), told
            assert first.exit_code in ENDS, told
            assert self.proxy.spoiled == (plan is not None), f"the fault was not met: {told}"
            if first.exit_code:
                assert "tearsheet: " in first.output, told
            self.calls = list(self.proxy.calls)
            self.proxy.begin()
            second = self.again()
            assert second.exit_code == 0, f"{plan}: again: {second.output}"
            try:
                self.check()
            except AssertionError as error:
                raise AssertionError(f"{plan}: {first.exit_code} {first.output}: {error}") from error
            return first.exit_code
        finally:
            self.end()

    def sweep(self, *, quick: bool) -> None:
        """Record, then meet every planned fault."""
        assert self.met(None) == 0
        planned = plans(self.calls, self.faults, quick=quick)
        ends: Counter[int] = Counter()
        failures = []
        for plan in planned:
            try:
                ends[self.met(plan)] += 1
            except AssertionError as error:
                failures.append(str(error))
        print(f"{len(planned)} faults in {len(set(self.calls))} kinds of calls; runs by exit code: {dict(ends)}")
        assert not failures, "\n\n".join(failures)


def fill(folder: Path, put) -> None:
    """The pages of the old system, and the list of them."""
    rows = []
    for number in range(1, STORIES + 1):
        put(f"downloads/{number}", gzip.compress(page(f"story {number}")))
        rows.append(f"2015-10-02 09:00:00,1,2,{number},3,en,http://old.example/story-{number}")
    (folder / "old.csv").write_text(HEAD + "\n".join(rows))


class OnSearchServer(Scene):
    proxy: FaultProxy

    def begin(self) -> None:
        self.harness = OpenSearchHarness()
        self.harness.prepare(self.folder)
        self.data = self.folder / self.harness.alias
        url = f"{self.proxy.url.rsplit('/', 1)[0]}/{self.harness.alias}?replicas=0"
        configure(self.data, f'{QUICK}index = "{url}"\n')
        (self.data / "blobs" / "downloads").mkdir(parents=True)
        fill(self.folder, lambda key, data: (self.data / "blobs" / key).write_bytes(data))

    def end(self) -> None:
        self.harness.clean()


class OnPostgresql(Scene):
    """PostgreSQL, with a folder to copy archive files to."""

    faults = DATABASE_FAULTS

    def begin(self) -> None:
        self.harness = PostgresHarness()
        self.harness.prepare(self.folder)
        self.data = self.folder / self.harness.name
        configure(self.data, f'{QUICK}database = "{self.harness.url}"\n[archive]\nstores = ["{self.folder}/copies"]\n')
        (self.data / "blobs" / "downloads").mkdir(parents=True)
        fill(self.folder, lambda key, data: (self.data / "blobs" / key).write_bytes(data))
        in_process("status", data=self.data)  # the tables are there: a failed migration is another matter

    def end(self) -> None:
        self.harness.remove()


class OnBlobStore(Scene):
    """S3 has the pages of the old system and gets copies of the archive files."""

    proxy: FaultProxy
    bucket: S3Harness

    def begin(self) -> None:
        self.data = self.folder / uuid.uuid4().hex
        configure(
            self.data,
            f'downloads = "{self.proxy.url}"\n{QUICK}[archive]\nstores = ["{self.proxy.url}/{self.data.name}"]\n',
        )
        fill(
            self.folder, lambda key, data: self.bucket.client.put_object(Bucket=self.bucket.bucket, Key=key, Body=data)
        )

    def check(self) -> None:
        super().check()
        listed = self.bucket.client.list_objects_v2(Bucket=self.bucket.bucket, Prefix=self.data.name)
        copies = {item["Key"].rpartition("/")[2] for item in listed.get("Contents", [])}
        assert {path.name for path in (self.data / "archive").rglob("*.warc.gz")} <= copies, "every file has its copy"


class OnRssFetcher(Scene):
    """An rss-fetcher elsewhere has the addresses; their pages come from a server that is well."""

    proxy: FaultProxy

    def begin(self) -> None:
        self.data = self.folder / uuid.uuid4().hex
        configure(
            self.data,
            f'{QUICK}[feeds]\nremote = "{self.proxy.url}"\n[fetch]\nallow_addresses = ["127.0.0.0/8"]\n'
            f'connect_to = {{"old.example" = "{self.proxy.target.netloc}"}}\nmanners_off = {{"old.example" = "all"}}\n',
        )

    def run(self) -> Result:
        return in_process("--quiet", "run", "--once", "--no-web", "--json", data=self.data)


@pytest.fixture(
    params=[True, pytest.param(False, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])], ids=["quick", "whole"]
)
def quick(request) -> bool:
    return bool(request.param)


@pytest.mark.engine("opensearch")
@pytest.mark.timeout(3000)
def test_faults_of_a_search_server(tmp_path, quick):
    with in_front_of(server_url("opensearch")) as proxy:
        OnSearchServer(tmp_path, proxy).sweep(quick=quick)


@pytest.mark.engine("s3")
@pytest.mark.timeout(3000)
def test_faults_of_a_blob_store(tmp_path, quick):
    bucket = S3Harness()
    bucket.prepare(tmp_path)
    try:
        with in_front_of(bucket.url) as proxy:
            scene = OnBlobStore(tmp_path, proxy)
            scene.bucket = bucket
            scene.sweep(quick=quick)
    finally:
        bucket.remove()


@pytest.mark.engine("postgresql")
@pytest.mark.timeout(3000)
def test_faults_of_a_database(tmp_path, quick):
    with spoiled_database() as faults:
        OnPostgresql(tmp_path, faults).sweep(quick=quick)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_faults_of_an_rss_fetcher(tmp_path):
    """The quick sweep, without the stages behind it, is among the tests of the queuer."""
    with rss_fetcher(STORIES) as url, in_front_of(url) as proxy:
        OnRssFetcher(tmp_path, proxy).sweep(quick=False)

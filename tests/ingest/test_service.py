"""From request to tables, texts, messages and captures, on the embedded engines; by command, by worker and by HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.archive.reader import read_story_at
from tearsheet.cli import app
from tearsheet.errors import EngineError, NotFoundError, UsageError
from tearsheet.ingest import IngestWebResult, request_for
from tearsheet.ingest.fetching import Visitor
from tearsheet.ingest.model import read_result
from tearsheet.ingest.names import tei_key
from tearsheet.settings import Settings
from tearsheet.web.app import create_app
from tearsheet.work import ThreadReader
from tests.support.ingest_checks import check, check_tei
from tests.support.ingest_site import PNG, Site, prose
from tests.support.paths import ROOT
from tests.support.pywb_replay import replay_with_pywb
from tests.support.web_server import serve_app

URL = "http://a.example/x/y"
BODY = f"<html><head><title>T</title><link rel=stylesheet href=s.css></head><body>{prose(1500)}<img src=i.png></body></html>"
SHA1 = hashlib.sha1(BODY.encode()).hexdigest()
NAMES = "sandcrawler-prod"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.page("/x/y", BODY)
    site.file("/x/s.css", b"body { background: url(b.png) }", "text/css")
    site.file("/x/i.png")
    site.file("/x/b.png")
    site.redirect("/short", "/x/y")
    with site.in_thread():
        yield site


@pytest.fixture
def services(site: Site, tmp_path: Path) -> Iterator[Services]:
    with Services(Settings(tmp_path / "data", fetch=site.settings(obey_robots=False))) as services:
        yield services


def handle(services: Services, *urls: str, force: bool = False) -> list[Any]:
    async def run() -> list[IngestWebResult]:
        async with AsyncExitStack() as stack:
            visitor = Visitor(services.open_polite(stack))
            service = services.ingest.service(
                visitor, ThreadReader()
            )  # looks at pages in this process, which is quicker to start
            return await service.handle([request_for(url, force_recrawl=force) for url in urls])

    return [check(result) for result in asyncio.run(run())]


def test_everything_is_kept(services, site):
    [result] = handle(services, "http://a.example/short")
    assert result.hit and result.hops == ["http://a.example/short", URL]
    row = services.ingest.store.result_of("http://a.example/short")
    assert (row["hit"], row["status"], row["terminal_url"], row["terminal_sha1hex"]) == (True, "success", URL, SHA1)
    document = services.ingest.store.document(SHA1)
    assert (document["scope"], document["has_teixml"], document["status"]) == ("article-fulltext", True, "success")
    assert document["word_count"] == result.html_body.word_count
    assert [resource["status"] for resource in document["resources"]] == ["success"] * 3
    assert document["file_meta"]["md5hex"] == hashlib.md5(BODY.encode()).hexdigest()
    tei = services.ingest.blobs.get(f"html/{SHA1[:2]}/{SHA1[2:4]}/{SHA1}.tei.xml").decode()
    check_tei(tei)
    assert (services.data / "blobs/sandcrawler/html" / SHA1[:2] / SHA1[2:4] / f"{SHA1}.tei.xml").is_file()
    message = services.events.latest(f"{NAMES}.html-teixml")[SHA1]
    assert message == {
        "key": SHA1, "sha1hex": SHA1, "status": "success", "tei_xml": tei, "word_count": result.html_body.word_count,
    }  # fmt: skip
    told = services.events.latest(f"{NAMES}.ingest-file-results")["html http://a.example/short"]
    assert read_result(dict(told)).cdx == result.cdx


def test_the_capture_and_its_sub_resources_are_in_the_archive(services):
    [result] = handle(services, "http://a.example/short")
    cdx = result.cdx
    path = services.archive_folder / cdx.warc_path
    story = read_story_at(path, cdx.warc_offset)
    assert story is not None and story.story.raw_html.html == BODY.encode()
    assert [exchange.status for exchange in story.story.exchanges] == [302, 200]
    lines = path.with_name(path.name.replace(".warc.gz", ".cdxj")).read_text().splitlines()
    assert {line.split()[0] for line in lines} == {
        "example,a)/short", "example,a)/x/y", "example,a)/x/s.css", "example,a)/x/i.png", "example,a)/x/b.png",
    }  # fmt: skip
    [image] = [resource for resource in result.html_resources if resource.url.endswith("i.png")]
    assert image.sha1hex == hashlib.sha1(PNG).hexdigest()
    captured = services.captures.find(URL)
    assert captured is not None and captured.offset == cdx.warc_offset


def test_pywb_replays_the_capture_and_its_sub_resources(services, site, tmp_path):
    site.file("/x/i.png", PNG + b"2")
    [result] = handle(services, "http://a.example/short")
    path = services.archive_folder / result.cdx.warc_path
    names = {"http://a.example/short": BODY.encode(), URL: BODY.encode()}
    names |= {f"http://a.example/x/{name}": site.answers[f"/x/{name}"].body for name in ("s.css", "i.png", "b.png")}
    ours = str(path.with_name(path.name.replace(".warc.gz", ".cdxj")))
    (tmp_path / "pywb").mkdir()
    collections = [
        {"name": name, "warc": str(path), "cdxj": cdxj, "urls": list(names)}
        for name, cdxj in (("theirs", None), ("ours", ours))
    ]
    answers = replay_with_pywb(tmp_path / "pywb", collections)
    for name in ("theirs", "ours"):
        for url, body in names.items():
            answer = answers[f"{name} {url}"]
            if url.endswith("/short"):
                assert (answer["status"], answer["location"]) == (302, "/x/y")
            else:
                assert (answer["status"], answer["page"].encode("latin-1")) == (200, body), url
        kinds = [answers[f"{name} http://a.example/x/{file}"]["mime"] for file in ("s.css", "i.png")]
        assert kinds == ["text/css", "image/png"]
    for words in (["warcio", "check", str(path)], ["cdxj-indexer", str(path)]):
        subprocess.run([str(Path(sys.executable).parent / words[0]), *words[1:]], check=True, capture_output=True)


def test_an_unchanged_document_is_recognised_and_a_changed_one_is_not(services, site):
    [first] = handle(services, URL)
    site.web.requests.clear()
    [second] = handle(services, URL)
    assert site.web.paths == ["/x/y"]
    assert (second.unchanged, second.cdx, second.html_resources) == (True, first.cdx, first.html_resources)
    assert len(services.ingest.store.captures_of_sha1(SHA1)) == 1
    assert len(list(services.archive.files())) == 1
    [forced] = handle(services, URL, force=True)
    assert forced.unchanged is None and forced.cdx.warc_path != first.cdx.warc_path
    assert sorted(site.web.paths) == sorted(["/x/y", "/x/y", "/x/b.png", "/x/i.png", "/x/s.css"])
    site.page("/x/y", BODY.replace("<title>T", "<title>New"))
    [changed] = handle(services, URL)
    assert changed.unchanged is None and changed.cdx.sha1hex != SHA1


def test_a_document_of_the_wrong_kind_is_told_but_its_text_is_not(services, site):
    site.page("/wall", "<p>Subscribe to continue reading.")
    handle(services, "http://a.example/wall")
    assert services.ingest.store.result_of("http://a.example/wall")["status"] == "blocked-wall"
    assert services.events.latest(f"{NAMES}.html-teixml") == {}
    assert list(services.ingest.blobs.list()) == []


def test_captures_are_found_by_address_and_time_and_can_be_hidden(services):
    store: Any = services.ingest.store
    [result] = handle(services, URL)
    surt, row = "example,a)/x/y", result.cdx
    for year in ("2010", "2030"):
        row.datetime = year + "0101000000"
        store.save([result])
    assert [line.datetime[:4] for line in store.captures_of_surt(surt)] == [
        "2010",
        result.terminal.terminal_dt[:4],
        "2030",
    ]
    assert store.closest(surt, "2011").datetime == "20100101000000"
    assert store.closest(surt, "20290101").datetime == "20300101000000"
    for key in (URL, SHA1):
        assert store.hide(key, hide=True) == 3
        assert store.closest(surt, "20290101") is None
        assert store.captures_of_sha1(SHA1) == [] and len(store.captures_of_surt(surt, hidden=True)) == 3
        assert store.hide(key, hide=False) == 3
        assert len(store.captures_of_sha1(SHA1)) == 3
    assert store.closest("example,b)/", "2020") is None
    with pytest.raises(NotFoundError, match=r"no capture of http://b\.example/"):
        store.hide("http://b.example/", hide=True)
    with pytest.raises(UsageError, match="no time"):
        store.closest(surt, "20209999")


def test_workers_take_requests_from_their_topic(services):
    requests = [("k1", {"base_url": URL}), ("k2", {"no": "address"}), ("k3", {"base_url": "http://a.example/none"})]
    services.events.publish(f"{NAMES}.ingest-file-requests-daily", requests)
    services.events.publish(f"{NAMES}.ingest-file-results", [("bad", {"status": 1})])
    services.events.publish(
        f"{NAMES}.html-teixml", [("../../x", {"status": "success", "sha1hex": "../../x", "tei_xml": "<x/>"})]
    )
    services.ingest.run_workers(["ingest"], once=True)
    services.ingest.run_workers(["persist-result", "persist-html-text"], once=True)
    assert services.ingest.store.result_of(URL)["status"] == "success"
    assert services.ingest.store.result_of("http://a.example/none")["status"] == "not-found"
    assert services.events.latest(f"{NAMES}.ingest-file-results")["html "]["status"] == "invalid-url"
    assert [blob.key for blob in services.ingest.blobs.list()] == [f"html/{SHA1[:2]}/{SHA1[2:4]}/{SHA1}.tei.xml"]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_kill_between_saving_and_publishing_leaves_nothing_untold(site, tmp_path, moment):
    script = [sys.executable, "-m", "tests.support.ingest_until_killed"]
    killed = subprocess.run([*script, str(tmp_path / "d"), str(site.web.port), URL, moment], cwd=ROOT, timeout=100)
    assert killed.returncode == -signal.SIGKILL
    with Services(Settings(tmp_path / "d", fetch=site.settings(obey_robots=False))) as services:
        store: Any = services.ingest.store
        assert store.result_of(URL)["status"] == "success"
        assert services.ingest.blobs.head(tei_key(SHA1)) is not None
        assert [message.topic for message in store.unpublished(10)] == [
            f"{NAMES}.html-teixml", f"{NAMES}.ingest-file-results",
        ]  # fmt: skip
        assert services.events.latest(f"{NAMES}.ingest-file-results") == {}
        services.ingest.run_workers(["ingest"], once=True)
        told = services.events.latest(f"{NAMES}.ingest-file-results")[f"html {URL}"]
        assert told["terminal"]["terminal_sha1hex"] == SHA1
        assert services.events.latest(f"{NAMES}.html-teixml").keys() == {SHA1}
        assert store.unpublished(10) == []


def test_an_event_log_that_is_away_costs_no_result(services, monkeypatch):
    def away(topic, entries):
        raise EngineError("the event log does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(services.events, "publish", away)
        with pytest.raises(EngineError):
            handle(services, URL)
    assert services.ingest.store.result_of(URL)["status"] == "success"
    handle(services, "http://a.example/none")
    assert services.events.latest(f"{NAMES}.ingest-file-results").keys() == {
        f"html {URL}",
        "html http://a.example/none",
    }


def test_by_command(site, tmp_path):
    variables = {
        "TEARSHEET_FETCH_ALLOW_ADDRESSES": "127.0.0.0/8",
        "TEARSHEET_FETCH_CONNECT_TO": f"*=127.0.0.1:{site.web.port}",
    }
    requests = tmp_path / "requests.jsonl"
    requests.write_text(json.dumps({"ingest_type": "html", "base_url": URL, "ext_ids": {"doi": "10.1/x"}}) + "\n\n")
    words = ["--data", str(tmp_path / "d"), "ingest", "http://a.example/none", "--requests", str(requests)]
    done = CliRunner().invoke(app, words, env=variables)
    assert done.exit_code == 3, done.output
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["status"], second["status"]) == ("not-found", "success")
    assert second["request"]["ext_ids"] == {"doi": "10.1/x"}
    again = CliRunner().invoke(app, ["--data", str(tmp_path / "d"), "ingest", URL, "--json"], env=variables)
    assert again.exit_code == 0 and json.loads(again.stdout)["unchanged"] is True
    requests.write_text("{}\n")
    wrong = CliRunner().invoke(app, [*words[:3], "--requests", str(requests)], env=variables)
    assert wrong.exit_code == 2 and "line 1" in wrong.stderr


def test_captures_are_hidden_by_command(services, tmp_path):
    handle(services, URL)
    store: Any = services.ingest.store

    def call(*words: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "ingest", *words])
        assert done.exit_code == code, done.output
        return done.stdout

    assert call("--hide", URL) == "1 capture is hidden, and still in the archive\n"
    assert store.captures_of_surt("example,a)/x/y") == [] and store.document(SHA1) is None
    assert services.captures.find(URL).url == URL
    with pytest.raises(NotFoundError):
        services.ingest.replay.newest(SHA1)
    call("--unhide", SHA1)
    assert store.document(SHA1)["scope"] == "article-fulltext"
    call("--hide", SHA1)
    assert store.known(SHA1, URL) is None, "asked for again, it is captured again"
    call("--hide", "http://a.example/never", code=5)
    call("--hide", "--unhide", SHA1, code=2)
    call("--hide", code=2)


def test_by_http(services):
    with serve_app(create_app(services)) as address, httpx.Client(base_url=address, timeout=60) as client:
        answer = client.post("/ingest", json={"ingest_type": "html", "base_url": URL})
        assert answer.status_code == 200, answer.text
        assert check(read_result(answer.json())).hit
        document = client.get(f"/ingest/document/{SHA1}").json()
        assert document["cdx"][0]["url"] == URL and document["scope"] == "article-fulltext"
        assert client.get("/ingest/cdx", params={"url": URL}).json()[0]["sha1hex"] == SHA1
        assert client.get("/ingest/cdx", params={"url": URL, "closest": "2020"}).json()[0]["sha1hex"] == SHA1
        assert client.get("/ingest/cdx", params={"url": URL, "closest": "2020999"}).status_code == 400
        assert client.get(f"/ingest/document/{'0' * 40}").status_code == 404
        assert client.post("/ingest", json={"base_url": "x" * 2000}).status_code == 400
        assert client.post("/ingest", json=[]).status_code in (400, 422)


def test_requests_by_http_at_the_same_time_share_one_visitor_and_its_manners(services, site):
    pictures = "".join(f"<img src=/{number}.png>" for number in range(12))
    for number in range(12):
        site.file(f"/{number}.png", delay=0.3)
    for number in range(3):
        site.page(
            f"/doc/{number}", f"<html><head><title>{number}</title></head><body>{prose(1500)}{pictures}</body></html>"
        )
    urls = [f"http://a.example/doc/{number}" for number in range(3)]
    with (
        serve_app(create_app(services)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
        ThreadPoolExecutor(3) as pool,
    ):
        answers = list(pool.map(lambda url: client.post("/ingest", json={"base_url": url}).json(), urls))
    assert [answer["status"] for answer in answers] == ["success"] * 3
    assert {resource["status"] for answer in answers for resource in answer["html_resources"]} == {"success"}
    assert site.peak == services.settings.fetch.per_host, (
        "as many as one process asks of a host at once, whoever waits for it"
    )

"""Each status word that applies here is reached by a page that deserves it."""

from __future__ import annotations

import asyncio
import gzip
import socket

import pytest

from tearsheet.fetch import PoliteClient
from tearsheet.ingest import Ingester, IngestLimits, ingest_html
from tearsheet.ingest import reading as reading_module
from tearsheet.ingest import tei as tei_module
from tearsheet.ingest.fetching import Visitor
from tearsheet.ingest.requests import read_request
from tearsheet.ingest.statuses import STATUSES, status_of_code
from tearsheet.work import ThreadReader
from tests.support.ingest_checks import check
from tests.support.ingest_site import Answer, Site, prose

ARTICLE = f"<html><title>T</title><body>{prose(1500)}</body></html>"
URL = "http://a.example/x/y"
HTML = ("Content-Type: text/html",)

CASES: dict[str, Answer] = {
    "success": Answer(ARTICLE.encode()),
    "unknown-scope": Answer(f"<html><body>{prose(300)}</body>".encode()),
    "wrong-scope": Answer(b"<html><body><p>Too short to be anything."),
    "blocked-captcha": Answer(b"<html><title>Just a moment</title><body>Please verify you are human."),
    "blocked-cookie": Answer(b"<html><body>Cookies must be enabled to see this."),
    "blocked-forbidden": Answer(b"<html><title>403 Forbidden</title><body><center><h1>403 Forbidden</h1>"),
    "blocked-wall": Answer(b"<html><body><form>Name <input> <input type=password></form>"),
    "terminal-bad-status": Answer(b"x", "418 Teapot"),
    "not-found": Answer(b"x", "404 Not Found"),
    "forbidden": Answer(b"x", "403 Forbidden"),
    "remote-server-error": Answer(b"x", "500 Oops"),
    "gateway-timeout": Answer(b"x", "504 Late"),
    "spn2-backoff": Answer(b"x", "429 Too Many"),
    "bad-redirect": Answer(b"", "300 Multiple Choices"),
    "redirect-loop": Answer(b"", "302 Found", ("Location: /x/y",)),
    "empty-blob": Answer(b" \n "),
    "wrong-mimetype": Answer(b"%PDF-1.4", headers=("Content-Type: text/html",)),
    "bad-gzip-encoding": Answer(b"\x1f\x8b damaged", headers=HTML),
    "too-many-resources": Answer((ARTICLE + "".join(f"<img src=/{n}.png>" for n in range(201))).encode()),
}
REACHED: set[str] = {*CASES, "invalid-url", "skip-url-blocklist", "skip-wall", "skip-robots", "redirects-exceeded",
    "max-hops-exceeded", "body-too-large", "read-timeout", "timeout", "not-implemented", "invalid-host-resolution",
    "html-selectolax-error", "html-teixml-error", "internal-error"}  # fmt: skip


def test_every_status_has_a_test():
    assert set(STATUSES) == REACHED


@pytest.mark.parametrize("status", CASES)
def test_status(status):
    site = Site({"/x/y": CASES[status]})
    result = check(site.run(URL))
    assert result.status == status, result.error_message
    assert result.terminal and result.terminal.terminal_url == URL
    if status == "redirect-loop":
        assert result.hops == [URL]
    elif status != "bad-gzip-encoding":
        assert result.terminal.terminal_status_code == int(CASES[status].status[:3])


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("not an address", "invalid-url"),
        ("ftp://a.example/x", "invalid-url"),
        ("http://[bad/", "invalid-url"),
        ("http://ieeexplore.ieee.org/document/1", "skip-url-blocklist"),
        ("https://doi.org/10.2307/123", "skip-url-blocklist"),
        ("http://10.0.0.1/", "skip-url-blocklist"),
        ("http://169.254.169.254/latest/meta-data/", "skip-url-blocklist"),
        ("http://a.example/login?source=/x", "skip-wall"),
        ("http://a.example/cookieAbsent", "blocked-cookie"),
        ("http://web.archive.org/web/2020/http://a.example/", "not-implemented"),
    ],
)
def test_an_address_that_is_not_asked(url, status):
    site = Site()
    result = check(site.run(url))
    assert result.status == status
    assert site.web is not None and site.web.requests == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "2130706433"])
def test_addresses_of_this_machine_are_refused(host):
    result = check(ingest_html(f"http://{host}:9/x"))
    assert result.status == "skip-url-blocklist"


def test_a_redirect_to_this_machine_is_refused():
    site = Site()
    site.redirect("/x/y", "http://10.1.2.3/secret")
    result = check(site.run(URL))
    assert (result.status, result.hops) == ("skip-url-blocklist", [URL])


def test_a_redirect_into_a_wall():
    site = Site({"/login?TARGET=x": Answer(ARTICLE.encode())})
    site.redirect("/x/y", "/login?TARGET=x")
    result = check(site.run(URL))
    assert (result.status, result.hops) == ("blocked-wall", [URL, "http://a.example/login?TARGET=x"])


def test_robots_are_obeyed_unless_switched_off():
    site = Site({"/x/y": CASES["success"]})
    site.page("/robots.txt", "User-agent: *\nDisallow: /x", headers=("Content-Type: text/plain",))
    assert check(site.run(URL)).status == "skip-robots"
    assert check(site.run(URL, obey_robots=False)).status == "success"


def test_25_redirects_are_followed_and_26_are_not():
    site = Site({"/r0": CASES["success"]})
    for number in range(1, 27):
        site.redirect(f"/r{number}", f"/r{number - 1}")
    result = check(site.run("http://a.example/r25"))
    assert (result.status, len(result.hops)) == ("success", 26)
    assert check(site.run("http://a.example/r26")).status == "redirects-exceeded"


def test_8_pages_are_looked_at_and_9_are_not():
    site = Site({"/p1": CASES["success"]})
    for number in range(2, 10):
        site.page(f"/p{number}", f"<meta http-equiv=Refresh content='0;URL=/p{number - 1}'>")
    result = check(site.run("http://a.example/p8"))
    assert (result.status, len(result.hops)) == ("success", 8)
    assert check(site.run("http://a.example/p9")).status == "max-hops-exceeded"


def test_sizes_and_times_are_limited():
    site = Site({"/x/y": Answer(ARTICLE.encode())})
    assert check(site.run(URL, limits=IngestLimits(max_bytes=1000))).status == "body-too-large"
    site.answers["/x/y"].delay = 5
    assert check(site.run(URL, limits=IngestLimits(page_seconds=0.3))).status == "read-timeout"
    result = check(site.run(URL, limits=IngestLimits(seconds=0.3)))
    assert (result.status, result.hops) == ("timeout", [URL])


def test_a_compressed_file_that_is_a_page_is_unpacked():
    site = Site({"/x/y": Answer(gzip.compress(ARTICLE.encode()), headers=HTML)})
    result = check(site.run(URL))
    assert result.status == "success" and result.file_meta and result.file_meta.size_bytes == len(ARTICLE.encode())


def test_a_host_that_does_not_exist(monkeypatch):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert check(ingest_html("http://no-such-host.invalid/x")).status == "invalid-host-resolution"


def test_other_kinds_of_requests_are_not_served():
    site = Site()

    async def run():
        async with site.serving(), PoliteClient(site.settings()) as client:
            return await Ingester(Visitor(client), ThreadReader()).ingest(
                read_request({"ingest_type": "pdf", "base_url": URL})
            )

    result = check(asyncio.run(run()))
    assert (result.status, result.request) == ("not-implemented", {"ingest_type": "pdf", "base_url": URL})


def test_a_defect_costs_one_document(monkeypatch):
    site = Site({"/x/y": CASES["success"]})

    def broken(*_: object) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr(reading_module, "platform_of", broken)
    result = check(site.run(URL))
    assert (result.status, result.error_message) == ("internal-error", "KeyError: 'a defect'")


def test_a_page_that_cannot_be_parsed_or_written(monkeypatch):
    site = Site({"/x/y": CASES["success"]})

    def broken(*_: object, **__: object) -> None:
        raise ValueError("cannot")

    with monkeypatch.context() as patch:
        patch.setattr(tei_module, "tei_xml", broken)
        assert check(site.run(URL)).status == "html-teixml-error"
    with monkeypatch.context() as patch:
        patch.setattr(reading_module, "Document", broken)
        assert check(site.run(URL)).status == "html-selectolax-error"


def test_codes():
    assert [status_of_code(code) for code in (200, 226, 304, 402, 403, 410, 502)] == [
        None, "terminal-bad-status", "bad-redirect", "terminal-bad-status", "forbidden", "not-found", "remote-server-error",
    ]  # fmt: skip

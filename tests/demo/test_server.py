"""The server delivers what the newsroom declares, faults above all."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage, IncompleteRead, RemoteDisconnected
from urllib.parse import urljoin, urlsplit

import feedparser
import pytest
from lxml import etree

from tearsheet.demo import Newsroom, NewsroomServer, serve_in_thread
from tearsheet.demo.cases import GOOD_CASES, INDEXED, Case
from tearsheet.demo.expectation import ExpectedEntry
from tearsheet.demo.faults import MAX_BYTES
from tearsheet.demo.model import FeedFormat
from tearsheet.demo.obstacles import SLOW_SECONDS
from tests.support.patience import PATIENCE


@pytest.fixture
def server() -> Iterator[NewsroomServer]:
    with serve_in_thread(Newsroom()) as server:
        yield server


@dataclass
class Answer:
    status: int
    headers: HTTPMessage
    body: bytes


def ask(server: NewsroomServer, url: str, headers: dict[str, str] | None = None, timeout: float = PATIENCE) -> Answer:
    """One request, to the address that `connect_to` gives for the host."""
    parts = urlsplit(url)
    address, _, port = server.connect_to()[parts.hostname or ""].partition(":")
    with closing(HTTPConnection(address, int(port), timeout=timeout)) as connection:
        connection.request("GET", target_of(url), headers={"Host": parts.netloc, **(headers or {})})
        with connection.getresponse() as response:
            return Answer(response.status, response.headers, response.read())


def target_of(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def head_for(url: str) -> str:
    return f"GET {target_of(url)} HTTP/1.1\r\nHost: {urlsplit(url).hostname}\r\n\r\n"


def follow(server: NewsroomServer, url: str, most: int = 10) -> tuple[str, Answer]:
    for _ in range(most):
        response = ask(server, url)
        if response.status not in (301, 302):
            return url, response
        url = urljoin(url, response.headers["Location"])
    raise AssertionError(f"too many redirects, at {url}")


def entry_of(server: NewsroomServer, case: Case) -> ExpectedEntry:
    return next(entry for entry in server.newsroom.expectation().entries if entry.case is case)


def link_of(server: NewsroomServer, case: Case) -> str:
    return entry_of(server, case).link


def test_every_good_article_is_delivered_in_the_end(server):
    newsroom = server.newsroom
    by_url = {article.normalized_url: article for article in newsroom.articles}
    for entry in newsroom.expectation().entries:
        if entry.verdict != INDEXED:
            continue
        for _ in range(newsroom.expectation().least_retries + 1):
            try:
                url, response = follow(server, entry.link)
            except (RemoteDisconnected, ConnectionResetError):
                continue
            if response.status == 200:
                break
        body = response.body
        article = by_url[entry.story or ""]
        assert url.lower().replace("//www.", "//").rstrip("/") == article.normalized_url, "where redirects end"
        page = body.decode(article.site.charset(article.language))
        assert article.title.split("'")[0].split("&")[0] in page
        if entry.case is not Case.CUT:
            assert page.endswith("</html>\n")
    assert {entry.case for entry in newsroom.expectation().entries if entry.verdict == INDEXED} == set(GOOD_CASES)


@pytest.mark.parametrize(
    ("case", "statuses"),
    [
        (Case.ERROR_ONCE, [500, 200, 200]),
        (Case.UNAVAILABLE_TWICE, [503, 503, 200]),
        (Case.BUSY_ONCE, [429, 200, 200]),
        (Case.NOT_FOUND, [404, 404]),
        (Case.GONE, [410]),
        (Case.FORBIDDEN, [403]),
        (Case.LEGAL, [451]),
        (Case.ALWAYS_BUSY, [429] * 5),
        (Case.ALWAYS_ERROR, [500] * 5),
        (Case.ALWAYS_UNAVAILABLE, [503] * 5),
    ],
)
def test_statuses(server, case, statuses):
    responses = [ask(server, link_of(server, case)) for _ in statuses]
    assert [response.status for response in responses] == statuses
    assert all(("Retry-After" in response.headers) == (response.status in (429, 503)) for response in responses)


def test_a_reset_that_recovers_and_one_that_does_not(server):
    for _ in range(3):
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            ask(server, link_of(server, Case.RESET))
    with pytest.raises((RemoteDisconnected, ConnectionResetError)):
        ask(server, link_of(server, Case.RESET_ONCE))
    assert ask(server, link_of(server, Case.RESET_ONCE)).status == 200


def test_redirects(server):
    def locations(case: Case, most: int) -> list[str]:
        urls = [link_of(server, case)]
        while len(urls) < most and (response := ask(server, urls[-1])).status in (301, 302):
            urls.append(urljoin(urls[-1], response.headers["Location"]))
        return urls

    assert len(set(locations(Case.REDIRECT_LOOP, 20))) == 2
    assert len(set(locations(Case.REDIRECT_ENDLESS, 40))) == 40
    assert ask(server, link_of(server, Case.REDIRECT_PRIVATE)).headers["Location"].startswith("http://10.")
    assert "youtube.com" in ask(server, link_of(server, Case.REDIRECT_NON_NEWS)).headers["Location"]
    assert ask(server, link_of(server, Case.REDIRECT_MAILTO)).headers["Location"].startswith("mailto:")
    home, response = follow(server, link_of(server, Case.TO_HOMEPAGE))
    assert (urlsplit(home).path, response.status) == ("/", 200)
    chain = locations(Case.CHAIN, 10)
    assert len({urlsplit(url).hostname for url in chain}) >= 3, "by the shortener and the www name"
    assert len(locations(Case.SHORTENED, 10)) > 1 and len(locations(Case.MOVED, 10)) == 2


@pytest.mark.parametrize(
    ("case", "content_type", "beginning"),
    [
        (Case.PDF, "application/pdf", b"%PDF"),
        (Case.PICTURE, "image/png", b"\x89PNG"),
        (Case.JSON, "application/json", b"{"),
        (Case.BINARY_AS_HTML, "text/html", b"\x89PNG"),
        (Case.FEED_PAGE, "text/xml", b"<?xml"),
        (Case.TOO_SHORT, "text/html", b"<html"),
        (Case.NO_TEXT, "text/html", b"<html>"),
    ],
)
def test_wrong_content(server, case, content_type, beginning):
    response = ask(server, link_of(server, case))
    body = response.body
    assert response.status == 200
    assert response.headers["Content-Type"].startswith(content_type)
    assert body.startswith(beginning) and len(body) < 5000


def test_an_empty_page(server):
    response = ask(server, link_of(server, Case.EMPTY))
    assert (response.status, response.headers["Content-Length"], response.body) == (200, "0", b"")


def test_oversized_pages(server):
    plain = ask(server, link_of(server, Case.OVERSIZED))
    assert int(plain.headers["Content-Length"]) == len(plain.body) > MAX_BYTES
    stream = ask(server, link_of(server, Case.OVERSIZED_STREAM))
    assert stream.headers["Content-Length"] is None
    assert len(stream.body) > MAX_BYTES
    packed = ask(server, link_of(server, Case.OVERSIZED_GZIP))
    body = packed.body
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(body) < 500_000 and len(gzip.decompress(body)) > MAX_BYTES


def test_a_client_that_leaves_an_endless_page_ends_it(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head_for(link_of(server, Case.OVERSIZED_STREAM)).encode())
        assert connection.recv(100)
    assert ask(server, link_of(server, Case.PLAIN)).status == 200


def test_broken_transfers(server):
    with pytest.raises(IncompleteRead) as partial:
        ask(server, link_of(server, Case.TRUNCATED))
    assert partial.value.partial
    assert raw(server, head_for(link_of(server, Case.GARBAGE))).startswith(b"220 mail.")
    for case in (Case.HANG, Case.HANG_MIDDLE):
        with pytest.raises(TimeoutError):
            ask(server, link_of(server, case), timeout=0.3)
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head_for(link_of(server, Case.HANG_MIDDLE)).encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK")
    with pytest.raises(ConnectionRefusedError):
        ask(server, link_of(server, Case.REFUSED))


def raw(server: NewsroomServer, text: str) -> bytes:
    """Everything that comes back for a request until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(text.encode())
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_slow_and_piecewise_pages(server):
    started = time.monotonic()
    assert ask(server, link_of(server, Case.SLOW)).status == 200
    assert time.monotonic() - started >= SLOW_SECONDS
    for case in (Case.DRIP, Case.CHUNKED):
        response = ask(server, link_of(server, case))
        assert response.headers["Transfer-Encoding"] == "chunked"
        assert response.body.endswith(b"</html>\n")


def test_a_page_that_lies_about_its_charset(server):
    entry = entry_of(server, Case.WRONG_CHARSET)
    article = next(a for a in server.newsroom.articles if a.normalized_url == entry.story)
    response = ask(server, entry.link)
    page = response.body.decode(response.headers.get_content_charset() or "")
    assert "charset=iso-8859-2" in page and article.title.split("'")[0] in page


def test_links_that_must_not_be_followed(server):
    assert link_of(server, Case.NO_LINK) == ""
    assert link_of(server, Case.MAILTO).startswith("mailto:")
    assert link_of(server, Case.LOOPBACK).startswith("http://127.")
    assert link_of(server, Case.PRIVATE).startswith("http://10.")
    assert urlsplit(link_of(server, Case.HOMEPAGE)).path == "/"
    disallowed = link_of(server, Case.ROBOTS)
    robots = ask(server, urljoin(disallowed, "/robots.txt")).body.decode()
    rule = next(line for line in robots.splitlines() if line.startswith("Disallow: /intern"))
    assert urlsplit(disallowed).path.startswith(rule.removeprefix("Disallow: "))
    assert ask(server, disallowed).status == 200, "only manners keep a client from it"


def test_every_feed_parses_and_lists_what_is_expected(server):
    entries = server.newsroom.expectation().entries
    formats = set()
    for feed in server.newsroom.feeds:
        response = ask(server, feed.url)
        body = response.body
        wanted = [entry.link for entry in entries if entry.feed_url == feed.url]
        formats.add(feed.format)
        if feed.format is FeedFormat.JSON:
            found = [item.get("url", "") for item in json.loads(body)["items"]]
        elif feed.format is FeedFormat.SITEMAP:
            found = [loc.text for loc in etree.fromstring(body).iter("{*}loc")]
        else:
            parsed = feedparser.parse(
                body, response_headers={key.lower(): value for key, value in response.headers.items()}
            )
            assert not parsed.bozo, parsed.bozo_exception
            assert parsed.version in ("rss20", "atom10", "rss10")
            found = [entry.get("link", "") for entry in parsed.entries]
            assert all(entry.get("published_parsed") or entry.get("updated_parsed") for entry in parsed.entries)
        assert found == wanted, feed.url
    assert formats == set(FeedFormat)
    assert [feed.url for feed in server.feed_urls()] == [feed.url for feed in server.newsroom.feeds]


def test_feeds_answer_conditional_requests(server):
    url = server.feed_urls()[0].url
    first = ask(server, url)
    again = ask(server, url, {"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert ask(server, url, {"If-Modified-Since": first.headers["Last-Modified"]}).status == 304
    assert ask(server, url, {"If-None-Match": '"other"'}).status == 200


def test_broken_feeds_are_broken(server):
    names = {name: url for url, name in server.newsroom.broken_feeds.items()}
    assert ask(server, names["missing"]).status == 404
    assert ask(server, names["gone"]).status == 410
    assert ask(server, names["error"]).status == 500
    assert ask(server, names["empty"]).body == b""
    assert b"<html" in ask(server, names["page"]).body
    assert feedparser.parse(ask(server, names["cut"]).body).bozo
    assert ask(server, names["loop"]).status == 302
    with pytest.raises(TimeoutError):
        ask(server, names["hang"], timeout=0.2)


def test_names_of_one_site(server):
    article = next(a for a in server.newsroom.articles if a.site.www == "same" and a.host == a.site.host)
    other = next(a for a in server.newsroom.articles if a.site.www == "redirect" and a.host == a.site.host)
    page = ask(server, article.url).body
    assert ask(server, f"http://www.{article.host}{article.path}").body == page
    assert ask(server, f"http://m.{article.host}{article.path}?utm_source=x").body == page
    assert ask(server, f"http://www.{other.host}{other.path}").headers["Location"] == other.url
    assert ask(server, f"http://{article.host}/no/such/page").status == 404


def test_gzip_for_those_who_ask(server):
    article = next(a for a in server.newsroom.articles if a.site.compress and a.host == a.site.host)
    plain = ask(server, article.url).body
    packed = ask(server, article.url, {"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain


def test_requests_are_counted(server):
    url = link_of(server, Case.PLAIN)
    for _ in range(3):
        ask(server, url)
    parts = urlsplit(url)
    assert server.requests[parts.hostname, target_of(url)] == 3
    assert sum(count for (host, _), count in server.requests.items() if host == parts.hostname) == 3
    assert {host for host, _ in server.requests} == {parts.hostname}


def test_one_connection_carries_many_requests_in_order(server):
    articles = [a for a in server.newsroom.articles if a.host == "harbour-herald.example"][:2]
    heads = [head_for(article.url) for article in articles]
    slow = head_for(link_of(server, Case.SLOW))
    last = "HEAD / HTTP/1.1\r\nHost: harbour-herald.example\r\nConnection: close\r\n\r\n"
    answer = raw(server, heads[0] + slow + heads[1] + last)
    assert answer.count(b"HTTP/1.1 200 OK") == 4
    places = [answer.index(a.url.encode() + b'">') for a in articles]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "request_", ["nonsense\r\n\r\n", "GET / HTTP/9\r\n\r\n", "\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"]
)
def test_what_is_not_http_is_refused(server, request_):
    assert raw(server, request_).startswith(b"HTTP/1.1 400")


def test_a_head_without_end_is_cut_off(server):
    with pytest.raises(ConnectionError), socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        for _ in range(200):
            connection.sendall(b"x: " + b"y" * 4096)
        while connection.recv(4096):
            pass
        raise ConnectionError("closed")


def test_other_hosts_and_methods_are_refused(server):
    assert raw(server, "GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 421"
    )
    assert raw(server, "POST / HTTP/1.0\r\nHost: harbour-herald.example\r\n\r\n").startswith(b"HTTP/1.1 405")


def test_people_can_look_at_it_in_a_browser(server):
    def get(path: str) -> str:
        with urllib.request.urlopen(f"{server.address}{path}", timeout=30) as response:
            return str(response.read(), "utf-8")

    assert "/~veldener-bote.example/" in get("/")
    front = get("/~harbour-herald.example/")
    assert 'href="/~harbour-herald.example/static/paper.css"' in front
    assert 'href="http://' not in front
    moved = urlsplit(link_of(server, Case.MOVED))
    with urllib.request.urlopen(f"{server.address}/~{moved.hostname}{moved.path}", timeout=30) as response:
        assert response.url.startswith(f"{server.address}/~{moved.hostname}/")
    with pytest.raises(urllib.error.HTTPError, match="404") as missing:
        get("/elsewhere")
    missing.value.close()


def test_starts_and_stops_again_on_the_same_port():
    server = NewsroomServer(Newsroom())
    url = link_of(server, Case.HANG)

    async def hang_and_stop() -> int:
        async with server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            before = server.requests.total()
            writer.write(head_for(url).encode())
            while server.requests.total() == before:
                await asyncio.sleep(0)
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        return server.port

    assert asyncio.run(hang_and_stop()) == asyncio.run(hang_and_stop())
    assert server.requests[urlsplit(url).hostname or "", target_of(url)] == 2


@pytest.mark.slow
def test_serves_two_thousand_pages_a_second(server):
    """By processor time, which this process spends on serving alone: a busy machine must not fail it."""
    command = [sys.executable, "-m", "tests.support.newsroom_load", str(server.port), "8000"]
    before = time.process_time()
    subprocess.run(command, capture_output=True, check=True)
    assert server.requests.total() / (time.process_time() - before) >= 2000

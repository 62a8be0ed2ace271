"""Bodies: too large, too slow in coming, or odd; each is answered with a sentence, and costs no memory."""

from __future__ import annotations

import json
import re
import socket
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.web.app import create_app
from tearsheet.web.bodies import json_problem
from tests.support.web_process import serving_process
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

MEGABYTE = 1_000_000
ODD = {
    "not UTF-8": b'{"url": "\xff"}',
    "a lone surrogate": rb'{"url": "\ud800"}',
    "a surrogate as a key": rb'{"\udc00": 1}',
    "NaN": b'{"source_id": NaN}',
    "infinity": b'{"source_id": -Infinity}',
    "infinity, spelled out": b'{"source_id": 1e999}',
    "deep lists": b"[" * 90_000,
    "deep lists that end": b"[" * 40_000 + b"]" * 40_000,
    "deep objects": b'{"a":' * 15_000,
    "a number of 50,000 digits": b'{"source_id": ' + b"9" * 50_000 + b"}",
    "U+0000": rb'{"url": "https://a.example/\u0000"}',
    "half of it": b'{"url": "https://a.ex',
    "two of them": b"{}{}",
    "no JSON": b"url=https://a.example/",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("bodies")) as services:
        yield create_app(services)


@pytest.fixture(scope="module")
def client(app):
    with serve_app(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


def routes_with_bodies(app) -> list[str]:
    """The paths that take something else than GET, with numbers in the place of their parameters."""
    paths = app.openapi()["paths"]
    return [re.sub(r"{.*?}", "1", path) for path, methods in paths.items() if set(methods) - {"get"}]


@pytest.mark.parametrize("kind", ODD)
def test_odd_json_is_refused_in_a_sentence(app, client, kind):
    routes = routes_with_bodies(app)
    assert {"/ingest", "/api/sources/feeds/", "/api/feeds/1/fetch-soon"} <= set(routes)
    for path in routes:
        answer = client.post(path, content=ODD[kind], headers={"content-type": "application/json"})
        assert answer.status_code == 400, (path, answer.status_code)
        assert answer.json()["note"].startswith("the body ")


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
)
STRANGE = st.sampled_from(["", " ", "\x00", "\ud7ff", "\ufeff", "a" * 3000, "http://", "https://[", "ftp://x", "javascript:1", -1,
                           2**63,
                           2**64, 10**200, 1e308, [], {}, [[]], True])  # fmt: skip
VALUES = st.recursive(
    LEAVES | STRANGE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
NAMES = ["url", "name", "source_id", "collections", "base_url", "ingest_type", "force_recrawl", "id", "$ref"]
KINDS = ["application/json", "text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]
BODIES = VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@settings(max_examples=150)
@given(st.data(), BODIES)
def test_no_body_breaks_the_server(app, client, data, body):
    path = data.draw(st.sampled_from(routes_with_bodies(app)))
    method = data.draw(st.sampled_from(["POST", "PUT", "PATCH", "DELETE"]))
    kind = data.draw(
        st.sampled_from(
            ["application/json", "text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]
        )
    )
    content = json.dumps(body, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
    answer = client.request(method, path, content=content, headers={"content-type": kind})
    assert answer.status_code in (200, 201, 400, 404, 405, 409, 413), (path, answer.status_code, answer.text[:300])
    assert answer.status_code < 400 or answer.json()["note"]


@given(st.binary(max_size=200))
def test_what_is_let_through_can_be_written_again(body):
    if not json_problem(body) and body:
        again = json.dumps(json.loads(body), ensure_ascii=False, allow_nan=False).encode()
        assert b"\x00" not in again


def test_a_feed_is_in_few_collections(client):
    names = [f"c{number}" for number in range(20_000)]
    many = client.post("/api/sources/feeds/", json={"url": "https://a.example/rss", "collections": names})
    assert many.status_code == 413
    some = client.post("/api/sources/feeds/", json={"url": "https://a.example/rss", "collections": names[:101]})
    assert (some.status_code, some.json()["note"][:12]) == (400, "collections:")
    assert client.get("/api/sources/collections/").json()["count"] == 0


def peak_memory(process: int) -> int:
    """The most memory that a process ever had, in kB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize(("length", "more"), [("content-length: 300000000", 30), ("transfer-encoding: chunked", 299)])
def test_a_body_of_300_megabytes_is_refused_and_costs_no_memory(tmp_path, length, more):
    """Refused while it arrives, and the rest of it is thrown away for as long as a body may take."""
    with serving_process(tmp_path) as (port, process):
        address = f"http://127.0.0.1:{port}"
        assert httpx.post(f"{address}/ingest", json={}, timeout=60).status_code == 400
        before = peak_memory(process)
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(f"POST /ingest HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode())
            part = (b"f4240\r\n" if "chunked" in length else b"") + b" " * MEGABYTE + b"\r\n"
            connection.sendall(part)
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 413 ") and b"100,000 bytes" in answer
            with suppress(OSError):
                for _ in range(more):
                    connection.sendall(part)
        assert peak_memory(process) - before < 20_000
        assert httpx.get(f"{address}/healthz", timeout=60).status_code == 200


def test_a_request_with_two_lengths_is_refused_and_ends_its_connection(client):
    """As proxies disagree on which one counts, what follows could be somebody else's request."""
    port = client.base_url.port
    host = f"Host: 127.0.0.1:{port}\r\n"
    smuggled = f"GET /healthz HTTP/1.1\r\n{host}\r\n"
    request = (
        f"POST /ingest HTTP/1.1\r\n{host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request.encode())
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 400 ") and b"not both" in answer
    assert answer.count(b"HTTP/1.1 ") == 1

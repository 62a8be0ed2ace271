"""HEAD is answered as GET is, without the body."""

from __future__ import annotations

import asyncio

import pytest
from starlette.responses import Response, StreamingResponse

from tearsheet.web.heads import Heads

PATHS = ["/", "/search?q=climate", "/search.csv?q=*", "/search.json?q=*", "/healthz", "/metrics", "/openapi.json", "/nothing",
         "/api/search/total-count?q=*", "/search.jsonl?q=%22", "/static/style.css"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_head_is_that_of_the_page(client, path):
    whole, head = client.get(path), client.head(path)
    assert head.status_code == whole.status_code
    assert head.content == b""
    if path not in ("/metrics", "/"):  # their length depends on the moment
        varying = ("date", "etag")
        assert {name: value for name, value in head.headers.items() if name not in varying} == {
            name: value for name, value in whole.headers.items() if name not in varying
        }


def test_what_only_takes_posts_does_not_answer(client):
    assert client.head("/ingest").status_code == client.get("/ingest").status_code == 405


def sent_for(app, method: str) -> list[dict[str, object]]:
    sent = []

    async def send(message):
        sent.append(dict(message))

    async def receive():
        await asyncio.Event().wait()

    scope = {"type": "http", "method": method, "path": "/", "headers": [], "asgi": {"spec_version": "2.4"}}
    asyncio.run(Heads(app)(scope, receive, send))
    return sent


def test_a_stream_is_not_made_for_nobody():
    made = []

    async def lines():
        for number in range(100):
            made.append(number)
            yield b"line\n"

    async def app(scope, receive, send):
        await StreamingResponse(lines(), headers={"x-kind": "export"})(scope, receive, send)

    head = sent_for(app, "HEAD")
    assert [message["type"] for message in head] == ["http.response.start", "http.response.body"]
    assert head[1] == {"type": "http.response.body", "body": b""}
    assert len(made) <= 2
    assert len(sent_for(app, "GET")) == 102


def test_an_application_that_fails_still_fails():
    async def app(scope, receive, send):
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        sent_for(app, "HEAD")

    async def answer(scope, receive, send):
        assert scope["method"] == "GET"
        await Response(b"body")(scope, receive, send)

    assert sent_for(answer, "HEAD")[1] == {"type": "http.response.body", "body": b""}

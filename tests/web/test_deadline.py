"""Whoever waits too long is told; what has begun to be answered is left alone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from tearsheet.web.deadline import Deadline
from tests.support.web_server import serve_app


@pytest.fixture
def client():
    app, released = FastAPI(), threading.Event()

    @app.get("/asleep")
    async def asleep() -> str:
        await asyncio.sleep(3600)
        return "late"

    @app.get("/busy")
    def busy() -> str:
        released.wait(60)  # a thread, which nobody can end
        return "late"

    @app.get("/patient")
    async def patient() -> str:
        await asyncio.sleep(2)
        return "in time"

    @app.get("/stream")
    def stream() -> StreamingResponse:
        def parts() -> Iterator[bytes]:
            for _ in range(4):
                time.sleep(0.5)
                yield b"part "

        return StreamingResponse(parts())

    @app.get("/broken")
    def broken() -> str:
        raise ValueError("no")

    app.add_middleware(Deadline, seconds=1.5, of_paths={"/patient": 60})
    with serve_app(app) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client
        released.set()


@pytest.mark.parametrize("path", ["/asleep", "/busy"])
def test_who_waits_too_long_is_told(client, path):
    answer = client.get(path)
    assert answer.status_code == 503
    assert "1.5 seconds" in answer.json()["note"]
    assert client.get("/patient").json() == "in time"


def test_what_has_begun_may_take_its_time(client):
    assert client.get("/stream").text == "part " * 4


def test_an_error_is_still_an_error(client):
    assert client.get("/broken").status_code == 500

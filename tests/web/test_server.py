"""Listening, serving and stopping; health and readiness."""

from __future__ import annotations

import asyncio
import shutil
import socket

import httpx
import pytest

from tearsheet.errors import BusyError, ConfigError
from tearsheet.web.app import create_app
from tearsheet.web.server import address_of, bind, serve
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app


def test_a_port_in_use_is_named_before_anything_starts():
    taken = bind("127.0.0.1", 0)
    port = taken.getsockname()[1]
    with taken, pytest.raises(BusyError, match=rf"port {port} is in use.*--port"):
        bind("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("no-such-host.invalid", 0), ("192.0.2.1", 0), ("127.0.0.1", 99_999)])
def test_an_address_that_is_not_ours_is_a_config_error(host, port):
    with pytest.raises(ConfigError, match=r"web\."):
        bind(host, port)


def test_the_address_can_be_opened_in_a_browser():
    with bind("127.0.0.1", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with bind("0.0.0.0", 0) as listener:
        assert address_of(listener).startswith("http://127.0.0.1:")


def test_it_serves_in_the_callers_loop_until_told_to_stop(tmp_path):
    async def main(services):
        listener, stop = bind("127.0.0.1", 0), asyncio.Event()
        address = address_of(listener)
        task = asyncio.create_task(serve(create_app(services), listener, stop))
        async with httpx.AsyncClient() as client:
            assert (await client.get(address + "healthz")).json()["status"] == "ok"
            stop.set()
            await asyncio.wait_for(task, 10)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", int(address.rstrip("/").rsplit(":", 1)[1]))) != 0

    with open_services(tmp_path) as services:
        asyncio.run(main(services))


def test_an_empty_data_folder_says_how_to_begin(tmp_path):
    with open_services(tmp_path) as services, serve_app(create_app(services)) as address:
        answer = httpx.get(address + "/")
        assert answer.status_code == 200
        assert "tearsheet run" in answer.text
        assert httpx.get(address + "/readyz").json() == {
            "status": "ready",
            "engines": {"database": "ok", "broker": "ok", "index": "ok"},
        }


def test_readiness_says_which_engine_is_away(tmp_path):
    with open_services(tmp_path) as services, serve_app(create_app(services)) as address:
        assert httpx.get(address + "/readyz").status_code == 200
        services.database.close()
        for file in tmp_path.glob("tearsheet.db*"):
            file.unlink()
        (tmp_path / "tearsheet.db").mkdir()
        try:
            answer = httpx.get(address + "/readyz")
            assert answer.status_code == 503
            engines = answer.json()["engines"]
            assert engines.pop("database") != "ok"
            assert set(engines.values()) == {"ok"}
            assert httpx.get(address + "/healthz").status_code == 200
            assert httpx.get(address + "/", headers={"accept": "text/html"}).status_code == 503
        finally:
            shutil.rmtree(tmp_path / "tearsheet.db")

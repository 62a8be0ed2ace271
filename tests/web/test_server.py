"""Listening, serving and stopping; health and readiness."""

from __future__ import annotations

import asyncio
import shutil
import socket

import httpx
import pytest

from tearsheet.errors import ConfigError
from tearsheet.settings import WebSettings
from tearsheet.web.app import create_app
from tearsheet.web.listening import address_of, bind
from tearsheet.web.server import Limits, room_for, serve
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app


def test_it_serves_in_the_callers_loop_until_told_to_stop(tmp_path):
    async def main(services):
        listener, stop = bind("127.0.0.1", 0), asyncio.Event()
        address = address_of(listener)
        task = asyncio.create_task(serve(create_app(services), listener, stop))
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            assert (await client.get(address + "healthz")).json()["status"] == "ok"
            stop.set()
            await asyncio.wait_for(task, PATIENCE)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", int(address.rstrip("/").rsplit(":", 1)[1]))) != 0

    with open_services(tmp_path) as services:
        asyncio.run(main(services))


@pytest.mark.parametrize(
    ("wanted", "files", "room"), [(1000, 20_000, 1000), (1000, 1024, 768), (1000, 256, 128), (10, 256, 10)]
)
def test_there_is_room_for_connections_beside_the_other_files(wanted, files, room):
    assert room_for(wanted, files) == room


@pytest.mark.parametrize("name", ["max_connections", "max_body_bytes", "head_seconds", "request_seconds"])
def test_a_limit_that_lets_nobody_in_is_a_config_error(name):
    web = WebSettings()
    setattr(web, name, 0)
    with pytest.raises(ConfigError, match=rf"web\.{name}"):
        Limits.of(web)


def test_an_empty_data_folder_says_how_to_begin(tmp_path):
    with open_services(tmp_path) as services, serve_app(create_app(services)) as address:
        answer = httpx.get(address + "/", timeout=PATIENCE)
        assert answer.status_code == 200
        assert "tearsheet run" in answer.text
        assert httpx.get(address + "/readyz", timeout=PATIENCE).json() == {
            "status": "ready",
            "engines": {"database": "ok", "broker": "ok", "index": "ok"},
        }


def test_readiness_says_which_engine_is_away(tmp_path):
    with open_services(tmp_path) as services, serve_app(create_app(services)) as address:
        assert httpx.get(address + "/readyz", timeout=PATIENCE).status_code == 200
        services.database.close()
        for file in tmp_path.glob("tearsheet.db*"):
            file.unlink()
        (tmp_path / "tearsheet.db").mkdir()
        try:
            answer = httpx.get(address + "/readyz", timeout=PATIENCE)
            assert answer.status_code == 503
            engines = answer.json()["engines"]
            assert engines.pop("database") != "ok"
            assert set(engines.values()) == {"ok"}
            assert httpx.get(address + "/healthz", timeout=PATIENCE).status_code == 200
            assert httpx.get(address + "/", headers={"accept": "text/html"}, timeout=PATIENCE).status_code == 503
        finally:
            shutil.rmtree(tmp_path / "tearsheet.db")

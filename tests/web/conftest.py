"""One seeded data folder, and one server for all tests that only look."""

from __future__ import annotations

import httpx
import pytest

from tearsheet.web.app import create_app
from tests.support.web_seed import NOW, open_services, seed
from tests.support.web_server import serve_app


@pytest.fixture(scope="session")
def seeded(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("web")) as services:
        yield services, seed(services)


@pytest.fixture(scope="session")
def truth(seeded):
    return seeded[1]


@pytest.fixture(scope="session")
def address(seeded):
    with serve_app(create_app(seeded[0], clock=lambda: NOW.timestamp())) as address:
        yield address


@pytest.fixture(scope="session")
def client(address):
    with httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=30) as client:
        yield client

"""One data folder for all tests that only look."""

from __future__ import annotations

import pytest

from tests.support.web_seed import open_services, seed


@pytest.fixture(scope="session")
def seeded(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("agents")) as services:
        yield services, seed(services)


@pytest.fixture
def services(seeded):
    """Its services, with the settings of agents as they come, and without what others have had."""
    found = seeded[0]
    found.settings.mcp = type(found.settings.mcp)()
    for log in found.data.glob("mcp-audit*"):
        log.unlink()
    return found


@pytest.fixture
def truth(seeded):
    return seeded[1]

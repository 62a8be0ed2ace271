"""The real servers that contract suites run against: where they are, whether they are up, and what is left out when not.

A test that needs one carries `@pytest.mark.engine("kafka")` (on a parameter: `pytest.param(…, marks=…)`) and asks
`server_url("kafka")` for its address. Without the server it is skipped and named at the end of the run; with
TEARSHEET_REQUIRE_ENGINES=1, as in `make test-engines`, it fails.
"""

from __future__ import annotations

import functools
import os
import re
import socket
from urllib.parse import urlsplit

import pytest

from tests.support.paths import ROOT

URLS_FILE = ROOT / "engines" / "urls.sh"
REQUIRE = "TEARSHEET_REQUIRE_ENGINES"
LEFT_OUT = "server not running: "


def server_urls() -> dict[str, str]:
    """Every test server by name; a variable TEARSHEET_TEST_NAME wins over the file."""
    found = re.findall(r"\$\{TEARSHEET_TEST_(\w+):=(.*?)\}", URLS_FILE.read_text("utf-8"))
    return {name.lower(): os.environ.get(f"TEARSHEET_TEST_{name}", url) for name, url in found}


def server_url(name: str) -> str:
    """Where the named server should be."""
    return server_urls()[name]


@functools.cache
def is_up(name: str) -> bool:
    """Whether something listens there; asked once a run."""
    address = urlsplit(server_url(name))
    try:
        with socket.create_connection((address.hostname or "127.0.0.1", address.port or 0), timeout=2):
            return True
    except OSError:
        return False


def require_server(name: str) -> None:
    """Skip the test, or fail it where servers are required, unless the server is up."""
    if is_up(name):
        return
    address = urlsplit(server_url(name))
    reason = f"{LEFT_OUT}{name} at {address.hostname}:{address.port} (`make engines-up ENGINES={name}` starts it)"
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)

"""A search server that is away is waited for as long as the settings say."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import pytest

from tearsheet.app.services import Services
from tearsheet.errors import EngineError
from tearsheet.settings import Settings


@pytest.mark.parametrize("engine", ["opensearch", "elasticsearch"])
def test_the_index_waits_as_long_as_the_settings_say(tmp_path, engine):
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        plain = Settings(tmp_path)
        engines = replace(plain.engines, index=f"{engine}://127.0.0.1:{taken.getsockname()[1]}", patience_seconds=0.3)
        begun = time.monotonic()
        with Services(replace(plain, engines=engines)) as services, pytest.raises(EngineError, match="does not answer"):
            services.index.count  # noqa: B018 - opening it is the test
    assert time.monotonic() - begun < 10

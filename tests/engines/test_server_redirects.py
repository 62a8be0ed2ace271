"""A server of ours that redirects: our login, or what is signed with it, reaches nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tearsheet.engines.blobs import open_blobs
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.index import open_index
from tearsheet.engines.server import parse_server_url
from tearsheet.errors import TearsheetError
from tests.support.redirector import redirector

ASKING: dict[str, Callable[[int, Path], object]] = {
    "s3 get": lambda port, data: open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).get("x"),
    "s3 put": lambda port, data: open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).put("x", b"y"),
    "s3 list": lambda port, data: list(open_blobs(f"s3://KEY:hunter22@127.0.0.1:{port}/b", data, patience=0.5).list()),
    "opensearch": lambda port, data: open_index(f"opensearch://me:hunter22@127.0.0.1:{port}/p", data, 0.0).get(["x"]),
    "elasticsearch": lambda port, data: open_index(f"elasticsearch://me:hunter22@127.0.0.1:{port}/p", data, 0.0).get(
        ["x"]
    ),
    "rabbitmq": lambda port, _: Management(
        parse_server_url(f"amqp://me:hunter22@127.0.0.1/?management={port}", "engines.broker", {"amqp": 5672})
    ).unacknowledged(),
}


@pytest.mark.parametrize("asked", ASKING)
def test_a_login_is_not_taken_to_another_server(asked, tmp_path):
    with (
        redirector() as (elsewhere, seen_elsewhere),
        redirector(f"http://127.0.0.1:{elsewhere}", 307) as (port, seen),
    ):
        try:
            ASKING[asked](port, tmp_path)
        except TearsheetError as error:
            assert "hunter22" not in str(error)
    assert any(login for _, login in seen), "the server was asked"
    assert not any(login for _, login in seen_elsewhere)

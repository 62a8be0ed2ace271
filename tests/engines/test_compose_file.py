"""engines/compose.yaml offers the same servers as the scripts: at the ports and with the names of engines/urls.sh."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are not worth a dependency

from tests.support.servers import URLS_FILE, server_urls

SERVICES = yaml.safe_load((URLS_FILE.parent / "compose.yaml").read_text("utf-8"))["services"]
NAMES = ["postgresql", "rabbitmq", "kafka", "s3", "opensearch", "elasticsearch"]


def test_every_server_has_its_url_script_and_service() -> None:
    assert sorted(server_urls()) == sorted(NAMES)
    for name in NAMES:
        assert os.access(URLS_FILE.parent / name, os.X_OK)
        assert name in SERVICES


@pytest.mark.parametrize("name", NAMES)
def test_ports_and_logins_are_those_of_the_urls(name: str, monkeypatch) -> None:
    monkeypatch.delenv(f"TEARSHEET_TEST_{name.upper()}", raising=False)
    url = urlsplit(server_urls()[name])
    ports = {mapping.rsplit(":", 1)[0] for mapping in SERVICES[name]["ports"]}
    assert f"127.0.0.1:{url.port}" in ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    for management in dict(parse_qsl(url.query)).values():
        assert f"127.0.0.1:{management}" in ports
    values = list(SERVICES[name]["environment"].values())
    assert url.username is None or (url.username in values and url.password in values)


def test_scripts_share_one_file_of_helpers() -> None:
    for name in NAMES:
        text = Path(URLS_FILE.parent / name).read_text("utf-8")
        assert "lib.sh" in text
        assert text.rstrip().endswith('main "$@"')

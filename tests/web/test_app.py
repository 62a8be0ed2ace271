"""What nobody expected is told in a sentence, under the same headers as everything else."""

from __future__ import annotations

import httpx
import pytest

from tearsheet.web.app import create_app
from tearsheet.web.security import PAGE_POLICY
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app


@pytest.mark.parametrize(("accept", "kind"), [("text/html", "text/html; charset=utf-8"), ("*/*", "application/json")])
def test_an_error_of_our_own_is_no_bare_500(tmp_path, monkeypatch, accept, kind):
    with open_services(tmp_path) as services:
        monkeypatch.setattr(type(services.index), "survey", lambda *_, **__: 1 / 0)
        with serve_app(create_app(services)) as address:
            answer = httpx.get(f"{address}/search?q=climate", headers={"accept": accept}, timeout=30)
        assert (answer.status_code, answer.headers["content-type"]) == (500, kind)
        assert "the server's log says what" in answer.text.replace("&#39;", "'")
        assert "ZeroDivisionError" not in answer.text
        assert answer.headers["content-security-policy"] == PAGE_POLICY

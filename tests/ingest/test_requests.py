"""Requests as they come in."""

from __future__ import annotations

from typing import Any

import pytest

from tearsheet.errors import UsageError
from tearsheet.ingest.requests import read_request


def test_requests():
    request = read_request({"base_url": "http://a.example/", "edit_extra": {"x": 1}, "force_recrawl": True})
    assert (request.ingest_type, request.force_recrawl, request.raw["edit_extra"]) == ("html", True, {"x": 1})
    assert read_request({"base_url": "u", "ingest_type": "file"}).ingest_type == "pdf"
    wrongs: tuple[Any, ...] = (
        None,
        [],
        {},
        {"base_url": 1},
        {"base_url": " "},
        {"base_url": "x" * 1501},
        {"base_url": "x", "ingest_type": "video"},
        {"base_url": "http://a.example/\ud800"},
        {"base_url": "x", "edit_extra": {"y": ["\udfff"]}},
        {"base_url": "x", "edit_extra": float("nan")},
    )
    for wrong in wrongs:
        with pytest.raises(UsageError):
            read_request(wrong)

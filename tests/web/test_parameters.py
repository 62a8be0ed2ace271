"""A parameter that is given twice is refused, on pages and in every API."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/search?q=climate&q=harbour", "q"),
        ("/search.json?q=*&domain=a.example&domain=b.example", "domain"),
        ("/search.csv?q=*&order=oldest&order=oldest", "order"),
        ("/api/search/total-count?q=*&cs=1&cs=2", "cs"),
        ("/api/sources/sources/?limit=5&limit=10", "limit"),
        ("/outcomes.json?reason=a&reason=b", "reason"),
        ("/healthz?x=1&x=2", "x"),
    ],
)
def test_a_parameter_is_given_once(client, path, name):
    refused = client.get(path, headers={"accept": "application/json"})
    assert refused.status_code == 400, refused.text
    assert refused.json()["note"] == f"{name}: given 2 times; give it once"

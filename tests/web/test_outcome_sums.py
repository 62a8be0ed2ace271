from __future__ import annotations

import pytest


@pytest.mark.parametrize("by", ["source", "feed", "domain", "day"])
def test_the_page_and_its_data_have_the_same_sums(client, by):
    rows = client.get("/outcomes/sums.json", params={"by": by}).json()
    assert sum(row["stories"] for row in rows if (row["stage"], row["reason"]) == ("fetcher", "http-404")) == 7
    shown = client.get("/outcomes/sums", params={"by": by}).text
    assert shown.count('<th scope="row">') == len(rows)


def test_what_cannot_be_summed_by_is_refused(client):
    assert client.get("/outcomes/sums.json", params={"by": "weather"}).status_code == 400
    assert client.get("/outcomes/sums.json", params={"days": "-1"}).status_code == 400
    assert client.get("/outcomes/sums", params={"days": "1"}).status_code == 200

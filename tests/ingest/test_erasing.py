"""Erased documents are not ingested again, and messages about them are recognised."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.archive import index_id_of
from tearsheet.fetch import PoliteClient
from tearsheet.ingest import request_for
from tearsheet.ingest.erasing import Documents
from tearsheet.ingest.fetching import Fetched, Visitor
from tearsheet.ingest.ingester import Ingester
from tearsheet.work import ThreadReader
from tests.support.ingest_site import Site, prose

SECRET = "http://a.example/secret"


@pytest.mark.parametrize("asked", [SECRET, "http://a.example/landing"])
def test_an_erased_document_is_refused_by_its_address_and_by_where_another_leads(asked):
    site = Site()
    site.page("/secret", f"<title>Secret</title>{prose(1300)}")
    site.page("/landing", f'<meta http-equiv=refresh content="0;url={SECRET}">')
    kept: list[Fetched] = []

    async def run():
        async with site.serving(), PoliteClient(site.settings(obey_robots=False)) as client:
            ingester = Ingester(Visitor(client), ThreadReader(), is_erased=lambda url: url == SECRET)
            return await ingester.ingest(request_for(asked), kept.append)

    result = asyncio.run(run())
    assert (result.status, result.hit) == ("skip-url-blocklist", False)
    assert "secret" not in str(result).lower()
    assert not any(b"Secret" in one.body for one in kept)


def test_a_message_is_about_a_document_by_any_of_its_addresses_or_its_digest():
    found = Documents(frozenset({index_id_of(SECRET)}), sha1s={"0" * 40})
    assert found.is_about("x", {"base_url": SECRET})
    assert found.is_about("x", {"request": {"base_url": SECRET + "?utm_source=x"}})
    assert found.is_about("x", {"terminal": {"terminal_url": SECRET}, "request": None})
    assert found.is_about("x", {"hops": ["http://a.example/landing", SECRET]})
    assert found.is_about("0" * 40, {"tei_xml": "<TEI/>"})
    assert not found.is_about("1" * 40, {"base_url": "http://a.example/other", "hops": None, "request": "odd"})

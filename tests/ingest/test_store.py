"""The tables of the ingest give the same answers on every database."""

from __future__ import annotations

import pytest

from tearsheet.ingest.file_facts import cdx_row, file_meta
from tearsheet.ingest.model import Biblio, HtmlBody, IngestWebResult, Terminal, WebResource
from tearsheet.ingest.store import IngestStore
from tests.support.databases import DATABASES

URL = "http://a.example/x"


def result(title: str, *, when: float = 1_600_000_000.0) -> IngestWebResult:
    meta = file_meta(b"<p>x", "text/html")
    return IngestWebResult(
        status="success",
        hit=True,
        request={"ingest_type": "html", "base_url": f"{URL}\x00"},
        terminal=Terminal(URL, "20200913122640", 200, meta.sha1hex),
        cdx=cdx_row(URL, 200, when, meta),
        file_meta=meta,
        html_biblio=Biblio(title=title),
        scope="article-fulltext",
        html_body=HtmlBody("success", "t/1", 7),
        html_resources=[WebResource(f"{URL}.png", "not-found", "image")],
    )


@pytest.fixture(params=DATABASES)
def store(request, tmp_path):
    harness = request.param()
    harness.prepare(tmp_path)
    database = harness.open()
    database.migrate()
    yield IngestStore(database)
    database.close()
    harness.remove()


def test_results_are_kept_and_the_last_one_stands(store):
    first, second = result("\ud800 First\x00"), result("Second")
    store.save([first, second])
    store.save([result("Third", when=1_700_000_000.0)])
    assert store.result_of(URL)["status"] == "success"
    assert first.file_meta is not None
    sha1 = first.file_meta.sha1hex
    document = store.document(sha1)
    assert (document["biblio"], document["word_count"]) == ({"title": "Third"}, 7)
    assert [line.datetime for line in document["cdx"]] == ["20200913122640", "20231114221320"]
    known = store.known(sha1, URL)
    assert known.resources == first.html_resources and known.cdx.datetime == "20231114221320"
    store.hide(URL, "20231114221320")
    assert store.closest("example,a)/x", "2030").datetime == "20200913122640"
    assert store.known(sha1, "http://b.example/") is None

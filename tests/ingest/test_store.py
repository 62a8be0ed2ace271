"""The tables of the ingest give the same answers on every database."""

from __future__ import annotations

from typing import Any

import pytest

from tearsheet.ingest.file_facts import cdx_row, file_meta
from tearsheet.ingest.model import Biblio, HtmlBody, IngestWebResult, Terminal, WebResource
from tearsheet.ingest.store import IngestStore, Outgoing
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
    assert store.closest("example,a)/x", "2021").datetime == "20200913122640"
    assert store.hide(URL, hide=True) == 2
    assert store.closest("example,a)/x", "2030") is None and store.known(sha1, URL) is None
    assert store.hide(sha1, hide=False) == 2
    assert store.closest("example,a)/x", "2030").datetime == "20231114221320"
    assert store.known(sha1, "http://b.example/") is None


def of_time(title: str, time14: str | None, status: str = "success") -> IngestWebResult:
    made = result(title)
    made.status, made.terminal = status, Terminal(URL, time14, 200)
    return made


@pytest.mark.parametrize(
    ("saved", "from_log", "stands"),
    [
        (of_time("ours", "20200102000000"), of_time("theirs", "20200101000000"), "ours"),
        (of_time("ours", "20200102000000"), of_time("theirs", "20200103000000"), "theirs"),
        (of_time("ours", "20200102000000"), of_time("theirs", "20200102000000"), "ours"),
        (of_time("ours", None, "timeout"), of_time("theirs", "20200101000000"), "theirs"),
    ],
    ids=["overtaken", "newer", "the same capture", "we had none"],
)
def test_a_result_from_the_event_log_never_overtakes_the_table(store, saved, from_log, stands):
    store.save([saved])
    store.adopt([from_log])
    assert store.document(saved.file_meta.sha1hex)["biblio"]["title"] == stands


def test_a_result_from_the_event_log_that_nobody_has_is_kept(store):
    store.adopt([result("theirs")])
    assert store.result_of(URL)["status"] == "success"


def test_messages_wait_in_order_until_they_are_published_and_only_with_their_result(store):
    messages = [Outgoing("t", f"k{number}", {"n": number, "nul": "\x00"}) for number in range(3)]
    store.save([result("x")], messages)
    first, second = store.unpublished(2)
    assert (first.topic, first.key, first.value, second.key) == ("t", "k0", {"n": 0, "nul": "\x00"}, "k1")
    store.published([first, second])
    assert [message.key for message in store.unpublished(10)] == ["k2"]
    unwritable: Any = {"n": object()}
    with pytest.raises(TypeError):
        store.save([of_time("later", "20300101000000")], [Outgoing("t", "k", unwritable)])
    assert store.result_of(URL)["terminal_dt"] == "20200913122640", "all of it or nothing"

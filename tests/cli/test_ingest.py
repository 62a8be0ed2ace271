"""`tearsheet ingest`, as people see it on a terminal."""

from __future__ import annotations

from pathlib import Path

from tearsheet.cli.ingest import _print_short
from tearsheet.ingest import IngestWebResult
from tearsheet.ingest.model import Biblio, HtmlBody, WebResource
from tests.support.tearsheet_command import in_process


def test_people_see_what_became_of_a_document_in_a_few_lines(capsys):
    resources = [
        WebResource("http://a.example/x.css", "success", "stylesheet"),
        WebResource("http://a.example/y", "404", "image"),
    ]
    found = IngestWebResult(
        "success",
        True,
        hops=["http://a.example/", "http://a.example/full"],
        html_biblio=Biblio(title="A title"),
        html_body=HtmlBody("success", "tearsheet", word_count=315),
        html_resources=resources,
    )
    _print_short(found)
    _print_short(IngestWebResult("no-capture", False, {"base_url": "http://b.example/"}, "unknown host"))
    assert capsys.readouterr().out.splitlines() == [
        "document  http://a.example/full",
        "status    success",
        "title     A title",
        "text      315 words",
        "with it   2 resources, 1 of them missing",
        "",
        "document  http://b.example/",
        "status    no-capture",
        "why       unknown host",
        "",
    ]


def test_what_is_queued_is_said(tmp_path: Path):
    done = in_process("ingest", "--queue", "http://a.example/1", "http://a.example/2", data=tmp_path)
    assert done.exit_code == 0 and "2 requests are queued for `tearsheet worker ingest`" in done.stdout

"""Lists that have nothing to show say so, and how to get something: a row of headings alone leaves people guessing."""

from __future__ import annotations

import pytest

from tearsheet.app.services import Services
from tearsheet.settings import Settings
from tests.support.tearsheet_command import in_process


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("pages list", "There are no pages in "),
        ("pages list --kind rss", "is of these days, kinds and ids."),
        ("pages check", "`tearsheet pages import FILE…` stores those of WARC files."),
        ("token list", "There are no tokens: `tearsheet token create NAME` makes one."),
        ("queues list", "There are no queues yet: `tearsheet run` makes them."),
        ("status", "There are no queues yet: `tearsheet run` makes them."),
    ],
)
def test_a_list_without_rows_says_how_to_get_some(tmp_path, words, told):
    with Services(Settings(tmp_path)) as services:
        services.database.migrate()
    done = in_process(*words.split(), data=tmp_path)
    assert (done.exit_code, told in done.stdout) == (0, True), done.output
    assert in_process(*words.split(), "--jsonl", data=tmp_path).stdout == "", "programs read no sentences"


def test_pages_that_are_in_order_are_told_apart_from_no_pages(tmp_path):
    (tmp_path / "page.html").write_text("<p>Words</p>")
    stored = in_process("pages", "put", "http://a.example/", str(tmp_path / "page.html"), data=tmp_path / "data")
    assert stored.exit_code == 0, stored.output
    assert "Nothing is wrong with the pages in" in in_process("pages", "check", data=tmp_path / "data").stdout

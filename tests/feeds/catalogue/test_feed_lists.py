"""Arguments are addresses or files of feeds."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds import formats
from tearsheet.feeds.catalogue import feed_lists
from tearsheet.feeds.catalogue.feed_lists import read_feed_list
from tests.support.feed_fakes import OPML


def test_arguments_are_addresses_or_files(tmp_path: Path) -> None:
    assert read_feed_list("https://a.example/rss")[0].url == "https://a.example/rss"
    (tmp_path / "list.opml").write_bytes(OPML)
    assert len(read_feed_list(str(tmp_path / "list.opml"))) == 3
    with pytest.raises(UsageError, match="neither"):
        read_feed_list(str(tmp_path / "none.opml"))


def test_a_list_that_is_too_long_is_refused_and_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_lists, "MAX_LIST_BYTES", len(OPML) - 1)
    (tmp_path / "list.opml").write_bytes(OPML)
    with pytest.raises(UsageError, match="split it"):
        read_feed_list(str(tmp_path / "list.opml"))
    monkeypatch.setattr(formats, "MAX_UNZIPPED", 30)
    (tmp_path / "list.csv.gz").write_bytes(gzip.compress(b"url\n" + b"http://a.example/rss\n" * 2))
    with pytest.raises(UsageError, match="split it"):
        read_feed_list(str(tmp_path / "list.csv.gz"))

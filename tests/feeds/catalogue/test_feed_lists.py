"""Arguments are addresses or files of feeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.feed_lists import read_feed_list
from tests.support.feed_fakes import OPML


def test_arguments_are_addresses_or_files(tmp_path: Path) -> None:
    assert read_feed_list("https://a.example/rss")[0].url == "https://a.example/rss"
    (tmp_path / "list.opml").write_bytes(OPML)
    assert len(read_feed_list(str(tmp_path / "list.opml"))) == 3
    with pytest.raises(UsageError, match="neither"):
        read_feed_list(str(tmp_path / "none.opml"))

"""Names of topics, groups and keys."""

from __future__ import annotations

import pytest

from tearsheet.errors import UsageError
from tearsheet.ingest.names import Names, bucket_url, tei_key


def test_names():
    names = Names("qa")
    assert (names.teixml, names.results) == ("sandcrawler-qa.html-teixml", "sandcrawler-qa.ingest-file-results")
    assert names.group("persist-result") == "sandcrawler-qa-persist-ingest"
    assert tei_key("ab" * 20) == f"html/ab/ab/{'ab' * 20}.tei.xml"
    with pytest.raises(UsageError):
        tei_key("../x")
    assert bucket_url("s3://k:s@h:1/news", "sandcrawler") == "s3://k:s@h:1/sandcrawler"
    assert bucket_url("blobs", "sandcrawler") == "blobs/sandcrawler"

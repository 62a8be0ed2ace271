"""The indexes that the contract suite runs against."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from tearsheet.engines.index.deadline import QUERY_SECONDS
from tearsheet.engines.index.life_cycle import LifeCycle
from tearsheet.engines.index.port import Index
from tearsheet.engines.index.search_server import SearchServerIndex, open_search_server
from tearsheet.engines.index.tantivy import TantivyIndex
from tests.support.servers import server_url


class TantivyHarness:
    """A fresh folder; each `open` is another look at it, as from another process."""

    name = "tantivy"

    def prepare(self, tmp_path: Path) -> None:
        self.place = tmp_path

    def open(self, query_seconds: float = QUERY_SECONDS) -> Index:
        return TantivyIndex(self.place / "index", query_seconds=query_seconds)

    def clean(self) -> None:
        pass


class ServerHarness:
    """A fresh alias on a real server."""

    name = ""

    def prepare(self, tmp_path: Path) -> None:
        self.alias = f"test-{uuid.uuid4().hex[:12]}"

    def open(self, life: LifeCycle = LifeCycle(), query_seconds: float = 30) -> SearchServerIndex:
        address = server_url(self.name).rsplit("/", 1)[0]
        url = f"{address}/{self.alias}?replicas=0"
        return open_search_server(url, patience=20, query_seconds=query_seconds, life=life)

    def clean(self) -> None:
        index = self.open()
        for name in index.writer.indices():
            index._ask("DELETE", f"/{name}")
        index._ask("DELETE", f"/_index_template/{self.alias}_template")
        index.close()


class OpenSearchHarness(ServerHarness):
    name = "opensearch"


class ElasticsearchHarness(ServerHarness):
    name = "elasticsearch"


SERVERS = [
    pytest.param(OpenSearchHarness, id="opensearch", marks=pytest.mark.engine("opensearch")),
    pytest.param(
        ElasticsearchHarness, id="elasticsearch", marks=[pytest.mark.engine("elasticsearch"), pytest.mark.slow]
    ),
]
INDEXES = [pytest.param(TantivyHarness, id="tantivy"), *SERVERS]

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import DATABASES, SqliteHarness


@pytest.fixture(params=DATABASES)
def harness(request, tmp_path: Path) -> Iterator[SqliteHarness]:
    ready: SqliteHarness = request.param()
    ready.prepare(tmp_path)
    yield ready
    ready.remove()

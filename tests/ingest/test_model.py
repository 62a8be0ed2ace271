"""The shape of a result, as it is published."""

from __future__ import annotations

import json
from pathlib import Path

from tearsheet.ingest.model import result_schema
from tests.support.ingest_checks import SCHEMA


def test_the_published_schema_is_the_one_of_the_program():
    assert json.loads(SCHEMA.read_text()) == result_schema()
    assert Path(SCHEMA).read_text().endswith("}\n")

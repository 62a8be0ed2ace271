"""What holds of every result: it fits the published schema, and its TEI is valid."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from lxml import etree

from tearsheet.ingest import IngestWebResult, result_json
from tearsheet.ingest.model import read_result
from tearsheet.ingest.statuses import STATUSES
from tests.support.paths import ROOT

if TYPE_CHECKING:
    import jsonschema

SCHEMA = ROOT / "docs" / "reference" / "ingest-result.schema.json"


@cache
def _validator() -> jsonschema.Draft202012Validator:
    import jsonschema  # takes seconds: every test process would spend them while it collects tests

    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@cache
def _dtd() -> etree.DTD:
    return etree.DTD(str(files("trafilatura") / "data" / "tei_corpus.dtd"))


def check_tei(tei: str) -> None:
    dtd = _dtd()
    assert dtd.validate(etree.fromstring(tei.encode())), str(dtd.error_log)


def words_of_body(tei: str) -> int:
    """How many words the body of a TEI document has, its headings and list items included."""
    body = etree.fromstring(tei.encode(), etree.XMLParser(huge_tree=True)).find("{*}text/{*}body")
    assert body is not None
    return sum(len(str(text).split()) for text in body.itertext())


def check(result: IngestWebResult) -> IngestWebResult:
    """Assert what every result must be; returns it."""
    value = json.loads(json.dumps(result_json(result)))
    _validator().validate(value)
    assert result_json(read_result(value)) == value
    assert result.status in STATUSES, result.status
    assert result.hit == (result.status == "success")
    if result.html_body is not None and result.html_body.tei_xml is not None:
        check_tei(result.html_body.tei_xml)
        assert words_of_body(result.html_body.tei_xml) == result.html_body.word_count
        assert "tei_xml" not in value["html_body"]
    return result

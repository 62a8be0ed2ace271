"""The description of the API is complete, and a client that is made from it alone gets the answers that it promises."""

from __future__ import annotations

import re
from contextlib import contextmanager
from itertools import cycle

import httpx
import pytest

from tearsheet.app.topic_evidence import fill_topic_index
from tearsheet.topics.model import NewTopic
from tearsheet.topics.store import create_topic
from tearsheet.web.app import create_app
from tests.support.described_folder import described_folder
from tests.support.ingested_page import SHA1
from tests.support.openapi_client import GeneratedClient, operations_of
from tests.support.patience import PATIENCE
from tests.support.web_seed import NOW
from tests.support.web_server import serve_app

WRITING = {"directory_add_feed", "rss_fetcher_feed_soon", "rss_fetcher_source_soon", "ingest"}
ODD = {
    "string": ["", "\u0000", "\u202e' OR 1=1 --", "x" * 3_000, "%00", "../../etc/passwd", "9" * 40],
    "integer": ["-1", "1e400", str(2**63), "0", "nan", "ten"],
    "number": ["nan", "inf", "-1e308", ""],
    "boolean": ["maybe", "2"],
}


@contextmanager
def with_topic(services):
    """The topic that the examples name."""
    fill_topic_index(services, [create_topic(services.database, NewTopic("corvane bridge", "corvane"), 1.0)])
    yield


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with (
        described_folder(tmp_path_factory.mktemp("described")) as services,
        with_topic(services),
        serve_app(create_app(services, clock=NOW.timestamp)) as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as http,
    ):
        yield GeneratedClient(http, http.get("/openapi.json").json())


@pytest.fixture(scope="module")
def operations(client):
    return list(client.operations.values())


def test_every_operation_says_what_it_is_and_what_it_answers(operations):
    tags = {tag["name"] for tag in operations[0].description["tags"] if tag["description"]}
    for operation in operations:
        own = operation.own
        assert own["summary"] and own["description"] and set(own["tags"]) <= tags, operation.id
        assert re.fullmatch(r"[a-z][a-z0-9_]{3,40}", operation.id), operation.id
        [success] = {"200", "201"} & own["responses"].keys()
        for status, answer in own["responses"].items():
            for kind, content in answer["content"].items():
                schema = content["schema"]
                assert schema and schema.get("additionalProperties") is not True, (operation.id, status)
                if status != success and operation.id != "health_readyz":
                    assert schema == {"$ref": "#/components/schemas/Problem"}, (operation.id, status)
                elif kind == "application/json" and status == success:
                    assert operation.mismatches(content["example"], schema) == [], operation.id


def test_every_parameter_is_explained_limited_and_shown(operations):
    for operation in operations:
        for parameter in operation.parameters:
            schema, where = parameter["schema"], (operation.id, parameter["name"])
            assert parameter["description"] and "example" in parameter, where
            assert operation.mismatches(parameter["example"], schema) == [], where
            for kind in schema.get("anyOf", [schema]):
                limited = kind.keys() & {"maxLength", "maximum", "exclusiveMaximum", "enum", "pattern"}
                assert limited or kind["type"] in ("null", "boolean", "number"), where
        if operation.id in ("directory_add_feed", "ingest"):
            content = operation.own["requestBody"]["content"]["application/json"]
            assert operation.mismatches(content["example"], content["schema"]) == []


def test_who_may_ask_is_described(operations):
    description = operations[0].description
    assert set(description["components"]["securitySchemes"]) == {"token", "bearer", "password"}
    for operation in operations:
        security = operation.own.get("security", description["security"])
        opened = operation.path in ("/healthz", "/api/version")
        daily = operation.path in ("/rss/{name}", "/api/rss/{name}")
        asks_soon = operation.path.endswith("/fetch-soon")
        assert bool(security) == (not opened)
        reads = operation.method == "get" and not opened and not daily
        assert ({"password": []} in security) == (reads or asks_soon)


def test_a_generated_client_walks_every_reading_operation(client, operations):
    walked = 0
    for operation in operations:
        if operation.id in WRITING:
            assert operation.method == "post"
            continue
        answer = getattr(client, operation.id)(**operation.examples())
        assert answer.status_code == 200, (operation.id, answer.text[:300])
        assert operation.problems(answer) == [], operation.id
        walked += 1
    assert walked == len(operations) - len(WRITING) >= 50
    assert client.ingest_document(sha1hex=SHA1).json()["cdx"]
    assert client.search_story_list(q="climate").json()["stories"]


def test_what_does_not_exist_is_answered_as_described(client, operations):
    nothing = {"identifier": "0" * 64, "storyId": "0" * 64, "sha1hex": "0" * 40, "name": "none", "collection": "none"}
    for operation in operations:
        given = operation.examples()
        if operation.id in WRITING or not ("{" in operation.path or given.keys() & {"storyId", "collection"}):
            continue
        asked = {key: nothing.get(key, 99_999 if key.endswith("_id") else value) for key, value in given.items()}
        answer = getattr(client, operation.id)(**asked)
        if operation.id != "rss_fetcher_rss_entries":  # a cursor begins anywhere
            assert answer.status_code == 404, (operation.id, answer.text[:200])
        assert operation.problems(answer) == [], operation.id


def test_odd_values_are_answered_as_described(client, operations):
    """Two odd values in each parameter, in turn: never an error of ours, and never an answer that is not described."""
    turns = {kind: cycle(values) for kind, values in ODD.items()}
    for operation in operations:
        for parameter in operation.parameters if operation.id not in WRITING else ():
            schema = parameter["schema"]
            kind = next(one["type"] for one in schema.get("anyOf", [schema]) if one.get("type") != "null")
            for value in (next(turns[kind]), next(turns[kind])):
                if parameter["in"] == "path" and ("/" in value or not value.strip("\u0000")):
                    continue
                answer = getattr(client, operation.id)(**operation.examples() | {parameter["name"]: value})
                assert answer.status_code in (200, 400, 404), (
                    operation.id,
                    parameter["name"],
                    value,
                    answer.text[:200],
                )
                assert operation.problems(answer) == [], (operation.id, parameter["name"], value)


def test_the_client_refuses_what_is_not_described(client):
    """Or the walk above would prove nothing."""
    with pytest.raises(AssertionError, match="has no parameter"):
        client.search_total_count(colour="red")
    with pytest.raises(AssertionError, match="needs"):
        client.search_story()
    operation = next(
        one for one in operations_of(client.operations["search_story"].description) if one.id == "search_story"
    )
    assert operation.mismatches({"story": {"id": 1}}, {"$ref": "#/components/schemas/OneStory"})

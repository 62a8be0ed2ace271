"""The description of the API, `/openapi.json`: FastAPI's own, with the answers of the guard and the error handlers, and examples.

The examples are in `examples.json`, by the name of a parameter and by the id of an operation.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from tearsheet.ingest import result_schema
from tearsheet.web.guard import OPEN_PATHS, UNLIMITED
from tearsheet.web.rss_fetcher_access import DAILY_ROUTES

Json = dict[str, Any]
_PROBLEM: Json = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong: of every answer that is no success, whatever its status.",
    "required": ["status", "note"],
    "additionalProperties": False,
    "properties": {
        "status": {"type": "string", "const": "error"},
        "note": {"type": "string", "description": "What went wrong, and what to do."},
    },
    "examples": [{"status": "error", "note": "start: 'yesterday' is not a day; write it as 2026-11-15"}],
}
_SCHEMES: Json = {
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`Token SECRET`, made by `tearsheet token create NAME`. Not needed on loopback, unless a proxy asks.",
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "The same secret as `Bearer SECRET`."},
    "password": {
        "type": "http",
        "scheme": "basic",
        "description": "The same secret as a password, under any name, as browsers send it. It may only read; "
        "a program may also ask for polls with it.",
    },
}
TAGS = [
    {"name": "health", "description": "Whether the server and its engines answer, and figures for Prometheus."},
    {"name": "pages as data", "description": "What the web pages show."},
    {"name": "export", "description": "All stories that match, with their full text, as a file."},
    {"name": "search", "description": "The search API of Media Cloud."},
    {"name": "directory", "description": "Sources, collections and feeds, as in Media Cloud's directory."},
    {"name": "account", "description": "Whose token it is, and what the server is."},
    {"name": "rss-fetcher", "description": "The API of Media Cloud's rss-fetcher."},
    {"name": "ingest", "description": "Single web documents, captured whole."},
]
_RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
_FASTAPI_ERRORS = ("HTTPValidationError", "ValidationError")
_ASKS_THE_INDEX = frozenset({"search", "export", "pages as data"})
_NAMED = frozenset({"collection", "cs", "storyId", "topic"})
"""Parameters that name something which may not exist."""


class DescribedApp(FastAPI):
    """An application whose description is complete: it includes error responses, security and examples."""

    def openapi(self) -> Json:
        """The description, made when it is first requested."""
        if self.openapi_schema is None:
            self.openapi_schema = completed(super().openapi())
        return self.openapi_schema


def operation_id(route: APIRoute) -> str:
    """How generated clients call an operation: its group and its name, as `search_total_count`."""
    group = str(route.tags[0] if route.tags else "pages").partition(" ")[0].replace("-", "_")
    return route.name if route.name.partition("_")[0] == group else f"{group}_{route.name}"


def completed(description: Json) -> Json:
    """The description with our answers to whatever goes wrong, with the token, and with examples."""
    components = description.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in _FASTAPI_ERRORS:
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    schemas |= _ingest_schemas()
    components["securitySchemes"] = _SCHEMES
    description["security"] = [{}, *({name: []} for name in _SCHEMES)]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            _add_problems(path, method, operation)
            _add_examples(operation)
    _answer_of(description["paths"]["/ingest"]["post"])["schema"] = _reference("IngestWebResult")
    return description


def _add_problems(path: str, method: str, operation: Json) -> None:
    answers, tag = operation["responses"], operation["tags"][0]
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    if answers.pop("422", None):
        answers["400"] = _problem("A parameter cannot be understood.")
    if path in OPEN_PATHS:
        operation["security"] = []
    elif path in DAILY_ROUTES:
        operation["security"] = [{}]
        answers["401"] = _problem("A token is needed: `web.open_rss` is off.")
    else:
        answers["401"] = _problem("A token is needed, or this one has expired.")
        answers["403"] = _problem("The token may not do this, or another site asks.")
    if "{" in path or names & _NAMED:
        answers["404"] = _problem("There is no such thing.")
    if not path.startswith(UNLIMITED):
        answers["429"] = _problem("Too many requests.") | {"headers": {"Retry-After": _RETRY_AFTER}}
    if method != "get":
        answers["400"] = _problem("A parameter or the body cannot be understood.")
        answers["413"] = _problem("The body is too large.")
        soon: list[Json] = [{"password": []}] if path.endswith("/fetch-soon") else []
        operation["security"] = [{}, {"token": []}, {"bearer": []}, *soon]
    if path.endswith("/fetch-soon"):
        answers["409"] = _problem("It is being fetched just now.")
    if "501" in answers:
        answers["501"] = _problem(answers["501"]["description"])
    if tag in _ASKS_THE_INDEX:
        answers["503"] = _problem("The question took too long, or an engine is away.")
    answers["default"] = _problem("Something else went wrong.")


def _add_examples(operation: Json) -> None:
    examples = _examples()
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        own = f"{operation['operationId']}.{name}"  # where a name means something else than elsewhere
        if own in examples["parameters"] or name in examples["parameters"]:
            parameter["example"] = examples["parameters"].get(own, examples["parameters"].get(name))
    if operation["operationId"] in examples["answers"]:
        _answer_of(operation)["example"] = examples["answers"][operation["operationId"]]
    if operation["operationId"] in examples["bodies"]:
        content = operation["requestBody"]["content"]["application/json"]
        content["example"] = examples["bodies"][operation["operationId"]]


@cache
def _examples() -> Json:
    read: Json = json.loads(files("tearsheet.web").joinpath("examples.json").read_text("utf-8"))
    return read


def _answer_of(operation: Json) -> Json:
    """What an operation answers when all goes well."""
    answers = operation["responses"]
    content: Json = answers.get("200", answers.get("201"))["content"]["application/json"]
    return content


def _ingest_schemas() -> Json:
    """The schemas of an ingest's result, which have a reference page of their own, as parts of this description."""
    text = json.dumps(result_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")
    found: Json = json.loads(text)
    return found


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _problem(message: str) -> Json:
    return {"description": message, "content": {"application/json": {"schema": _reference("Problem")}}}

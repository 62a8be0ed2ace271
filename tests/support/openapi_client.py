"""A client made from an OpenAPI description and nothing else: a function for each operation, by its id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import lazy_loader

jsonschema = lazy_loader.load("jsonschema")

Json = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    """One operation as it is described."""

    description: Json
    method: str
    path: str
    own: Json

    @property
    def id(self) -> str:
        """By which clients call it."""
        return str(self.own["operationId"])

    @property
    def parameters(self) -> list[Json]:
        """In the path or the query."""
        return list(self.own.get("parameters", []))

    def examples(self) -> dict[str, Any]:
        """Its parameters as the description shows them."""
        return {parameter["name"]: parameter["example"] for parameter in self.parameters}

    def problems(self, answer: httpx.Response) -> list[str]:
        """What is wrong with an answer, by the description."""
        described = self.own["responses"].get(str(answer.status_code))
        if described is None:
            return [f"{answer.status_code} is not described"]
        content, kind = described.get("content", {}), answer.headers["content-type"].partition(";")[0]
        if kind not in content:
            return [f"{kind} is not described for {answer.status_code}"]
        return self.mismatches(answer.json(), content[kind]["schema"]) if kind == "application/json" else []

    def mismatches(self, value: Any, schema: Json) -> list[str]:
        """Where a value is not as a schema of the description says."""
        whole = schema | {"components": self.description["components"]}
        return [
            f"{error.json_path}: {error.message}"[:300]
            for error in jsonschema.Draft202012Validator(whole).iter_errors(value)
        ]


def operations_of(description: Json) -> Iterator[Operation]:
    """Every operation of a description."""
    for path, methods in description["paths"].items():
        for method, own in methods.items():
            yield Operation(description, method, path, own)


class GeneratedClient:
    """Functions with the names and parameters that the description gives them."""

    def __init__(self, http: httpx.Client, description: Json) -> None:
        self._http = http
        self.operations = {operation.id: operation for operation in operations_of(description)}

    def __getattr__(self, name: str) -> Callable[..., httpx.Response]:
        operation = self.operations[name]

        def call(body: Any = None, **given: Any) -> httpx.Response:
            known = {parameter["name"]: parameter for parameter in operation.parameters}
            assert given.keys() <= known.keys(), f"{name} has no parameter {given.keys() - known.keys()}"
            missing = {key for key, parameter in known.items() if parameter.get("required")} - given.keys()
            assert not missing, f"{name} needs {missing}"
            path = re.sub(r"\{(\w+)\}", lambda found: str(given[found[1]]), operation.path)
            query = {key: value for key, value in given.items() if known[key]["in"] == "query"}
            return self._http.request(operation.method.upper(), path, params=query, json=body)

        return call

"""The description of the API, `/openapi.json`: FastAPI's own, with the answers of the guard and the error handlers."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from tearsheet.web.guard import OPEN_PATHS, UNLIMITED

_PROBLEM = {
    "type": "object",
    "title": "Problem",
    "required": ["status", "note"],
    "properties": {
        "status": {"type": "string", "const": "error"},
        "note": {"type": "string", "description": "What went wrong, and what to do."},
    },
}
_TOKEN = {
    "type": "apiKey",
    "in": "header",
    "name": "Authorization",
    "description": "`Token SECRET`, made by `tearsheet token create NAME`. Not needed on loopback, unless a proxy asks.",
}
_RETRY_AFTER = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
_FASTAPI_ERRORS = ("HTTPValidationError", "ValidationError")


class DescribedApp(FastAPI):
    """An application whose description includes its error responses."""

    def openapi(self) -> dict[str, Any]:
        """The description, made when it is first requested."""
        if self.openapi_schema is None:
            self.openapi_schema = with_problems(super().openapi())
        return self.openapi_schema


def with_problems(description: dict[str, Any]) -> dict[str, Any]:
    """The description with the token, and with our answers to bad parameters, missing tokens and too many requests."""
    components = description.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name in _FASTAPI_ERRORS:
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    components["securitySchemes"] = {"token": _TOKEN}
    description["security"] = [{}, {"token": []}]
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            answers = operation["responses"]
            if answers.pop("422", None):
                answers["400"] = _problem("A parameter cannot be understood.")
            if path not in OPEN_PATHS:
                answers["401"] = _problem("A token is needed, or this one has expired.")
                answers["403"] = _problem("The token may not do this, or another site asks.")
            if not path.startswith(UNLIMITED):
                answers["429"] = _problem("Too many requests.") | {"headers": {"Retry-After": _RETRY_AFTER}}
            if method != "get":
                answers["400"] = _problem("A parameter or the body cannot be understood.")
                answers["413"] = _problem("The body is too large.")
    return description


def _problem(message: str) -> dict[str, Any]:
    return {
        "description": message,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }

"""`/api`: what programs can request, generated from the same description as `/openapi.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from tearsheet.web.guard import Visitor
from tearsheet.web.render import page
from tearsheet.web.site import site_of

router = APIRouter()


@dataclass(slots=True, frozen=True)
class Operation:
    """One operation of the API."""

    method: str
    path: str
    about: str
    parameters: list[str]


@router.get("/api", include_in_schema=False)
def api_page(request: Request) -> HTMLResponse:
    """The page for people who write programs."""
    web, visitor = site_of(request).services.settings.web, request.scope["visitor"]
    assert isinstance(visitor, Visitor)
    return page(
        request,
        "api.html",
        groups=operations_by_tag(request.app.openapi()),
        base=str(request.base_url),
        open=visitor.local,
        limit=web.requests_per_minute,
    )


def operations_by_tag(description: dict[str, Any]) -> list[tuple[str, list[Operation]]]:
    """The operations of an OpenAPI description, by their first tag, in order."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            names = [parameter["name"] for parameter in operation.get("parameters", [])]
            about = operation.get("description", operation.get("summary", ""))
            made = Operation(method.upper(), path, about, names)
            groups.setdefault(operation.get("tags", ["other"])[0], []).append(made)
    return list(groups.items())

"""`/healthz`: the server answers. `/readyz`: so does everything it depends on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from tearsheet import __version__
from tearsheet.query import EVERYTHING
from tearsheet.web.site import Site, site_of

router = APIRouter(tags=["health"])
_PATIENCE_SECONDS = 5.0


class Health(BaseModel):
    """That the server answers."""

    status: Literal["ok"]
    version: str


class Readiness(BaseModel):
    """Whether each engine answers: `ok`, or why it does not."""

    status: Literal["ready", "not ready"]
    engines: dict[str, str]


@router.get("/healthz")
async def healthz() -> Health:
    """Whether the server answers at all."""
    return Health(status="ok", version=__version__)


@router.get(
    "/readyz",
    responses={
        200: {"model": Readiness},
        503: {"model": Readiness, "description": "At least one engine cannot be reached; the answer says which."},
    },
)
async def readyz(request: Request) -> JSONResponse:
    """Whether the database, the broker and the index answer; 503 when one does not."""
    site = site_of(request)
    checks: dict[str, Callable[[], Awaitable[object]]] = {
        "database": lambda: asyncio.to_thread(_ask_database, site),
        "broker": site.depths,
        "index": lambda: asyncio.to_thread(_ask_index, site),
    }
    answers = await asyncio.gather(*(_tried(check) for check in checks.values()))
    found = dict(zip(checks, answers, strict=True))
    ready = all(answer == "ok" for answer in answers)
    body = {"status": "ready" if ready else "not ready", "engines": found}
    return JSONResponse(body, 200 if ready else 503)


async def _tried(check: Callable[[], Awaitable[object]]) -> str:
    try:
        await asyncio.wait_for(check(), _PATIENCE_SECONDS)
    except TimeoutError:
        return f"no answer within {_PATIENCE_SECONDS:g} seconds"
    except Exception as error:  # whatever an engine's client raises, it is not ready
        return str(error) or type(error).__name__
    return "ok"


def _ask_database(site: Site) -> None:
    site.services.database.ping()


def _ask_index(site: Site) -> None:
    site.services.index.count(EVERYTHING)

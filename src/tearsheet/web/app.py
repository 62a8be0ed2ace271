"""The application: pages, health, API and static files, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from tearsheet import __version__
from tearsheet.app import IngestForVisitors, Services
from tearsheet.archive import OutOfReach
from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import ItemRefused, NotFoundError, TearsheetError, TooSlow, UsageError, WorkerError
from tearsheet.web import (
    api_page,
    export,
    gaps,
    health,
    hub_calls,
    ingest_api,
    metrics,
    outcome_sums,
    outcomes,
    pages,
    rss_fetcher_api,
    search_page,
    topics_page,
)
from tearsheet.web.api import account, directory, search
from tearsheet.web.description import TAGS, DescribedApp, operation_id
from tearsheet.web.heads import Heads
from tearsheet.web.overview import Overview
from tearsheet.web.parameters import check_parameters
from tearsheet.web.reach import check_route
from tearsheet.web.remember import Remembered
from tearsheet.web.render import page
from tearsheet.web.safeguards import add_safeguards
from tearsheet.web.security import HEADERS, SecurityHeaders
from tearsheet.web.site import Site

_STATUS_OF_ERROR: tuple[tuple[type[TearsheetError], int], ...] = (
    (OutOfReach, 503),
    (NotFoundError, 404),
    (UsageError, 400),
    (TooSlow, 503),
    (ItemRefused, 503),
    (WorkerError, 503),
)
_ROUTERS = (
    health.router,
    pages.data_router,
    outcomes.data_router,
    outcome_sums.data_router,
    gaps.data_router,
    search_page.data_router,
    topics_page.data_router,
    export.router,
    search.router,
    directory.router,
    account.router,
    metrics.router,
    api_page.router,
    pages.router,
    outcomes.router,
    outcome_sums.router,
    gaps.router,
    search_page.router,
    topics_page.router,
)
_TITLES = {
    400: "That could not be understood",
    403: "Not allowed",
    404: "Not found",
    405: "Not allowed",
    503: "Not now",
}


def create_app(services: Services, *, clock: Clock = wall_clock) -> FastAPI:
    """The server's application. The broker is opened and closed on the server's event loop; the caller owns the rest.

    Raises ConfigError.
    """
    site, ingest = Site(services, clock), IngestForVisitors(services.ingest)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await ingest.close()
            await site.close()

    app = DescribedApp(
        title="Tearsheet",
        version=__version__,
        summary="The news as it was published, with proof of every page.",
        description="Stories, counts, sources, feeds and captures of one data folder; also the APIs of Media Cloud, by its names.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_tags=TAGS,
        generate_unique_id_function=operation_id,
        lifespan=lifespan,
        docs_url=None,  # its page loads scripts from other servers
        redoc_url=None,
        dependencies=[Depends(check_route), Depends(check_parameters)],
    )
    app.state.site = site
    app.state.overview = Remembered[Overview]()
    app.state.snapshot_pages = topics_page.SnapshotPages()
    for router in _ROUTERS:
        app.include_router(router)
    app.include_router(rss_fetcher_api.router(services.database, services.data / "rss", clock))
    app.include_router(hub_calls.router(services.database, services.settings.feeds, clock))
    app.include_router(ingest_api.router(services, ingest))
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    _add_layers(app, services, clock)
    return app


def _add_layers(app: FastAPI, services: Services, clock: Clock) -> None:
    """What every request passes before a route, and what is said when something goes wrong."""
    # The last one added is the first to see a request.
    web = services.settings.web
    ingesting = web.request_seconds + services.settings.ingest.deadline_seconds
    app.add_middleware(Heads)
    add_safeguards(app, services, web, clock, deadlines={"/ingest": ingesting})
    app.state.times = metrics.RequestTimes()
    app.add_middleware(metrics.Timing, times=app.state.times)
    app.add_middleware(SecurityHeaders)
    app.add_exception_handler(TearsheetError, _user_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(Exception, _our_fault)


async def _user_error(request: Request, error: Exception) -> Response:
    status = next((status for kind, status in _STATUS_OF_ERROR if isinstance(error, kind)), 500)
    return _problem(request, status, str(error))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = "There is no such page." if error.status_code == 404 else str(error.detail)
    return _problem(request, error.status_code, message, dict(error.headers or {}))


async def _our_fault(request: Request, _: Exception) -> Response:
    """What nobody expected. It is answered outside of all middleware, so the headers are added here."""
    return _problem(request, 500, "Something went wrong here; the server's log says what.", HEADERS)


async def _bad_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if request.scope["path"].startswith("/stories/"):
        return _problem(request, 404, "There is no such story: its id has 64 hexadecimal digits.")
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return _problem(request, 400, f"{where}: {first['msg']}")


def _problem(request: Request, status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """What went wrong: as a page for browsers, as JSON for programs."""
    path = request.scope["path"]
    for_program = path.startswith("/api/") or path.endswith((".json", ".jsonl", ".csv", ".parquet"))
    if for_program or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"status": "error", "note": message}, status, headers)
    response = page(request, "problem.html", status_code=status, title=_TITLES.get(status, "Error"), message=message)
    response.headers.update(headers or {})
    return response

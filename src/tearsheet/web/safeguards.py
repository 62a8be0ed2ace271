"""What every request passes before an application sees it: the guard, and limits of bodies and time."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.applications import Starlette

from tearsheet.app import Services, TokenStore
from tearsheet.clock import Clock, wall_clock
from tearsheet.settings import WebSettings
from tearsheet.web.bodies import Bodies
from tearsheet.web.deadline import Deadline
from tearsheet.web.guard import READING, Guard, Locals
from tearsheet.web.limits import RateLimit


def add_safeguards(
    app: Starlette,
    services: Services,
    web: WebSettings,
    clock: Clock = wall_clock,
    *,
    deadlines: Mapping[str, float],
    reading: frozenset[str] = READING,
    pages: bool = True,
) -> None:
    """Guard an application by these settings. Raises ConfigError.

    `deadlines` are the seconds of paths that may take longer than others; the rest is as `Guard` takes it.
    """
    # The last one added is the first to see a request.
    tokens, limit = TokenStore(services.database, clock), RateLimit(web.requests_per_minute, clock)
    app.add_middleware(Deadline, seconds=web.request_seconds, of_paths=deadlines)
    app.add_middleware(Bodies, most=web.max_body_bytes)
    app.add_middleware(
        Guard, locals_=Locals(web), tokens=tokens, limit=limit, clock=clock, reading=reading, pages=pages
    )

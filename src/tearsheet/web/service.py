"""The web pages as a service that can run alone or beside other work."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tearsheet.app import Services
from tearsheet.web.app import create_app
from tearsheet.web.server import bind, serve
from tearsheet.work import Service


def page_service(services: Services, announce: Callable[[str], None]) -> Service:
    """The pages of a data folder; `announce` is told their address.

    The port is bound now, so that one already in use is reported before anything starts. Raises BusyError and ConfigError.
    """
    settings = services.settings.web
    listener = bind(settings.host, settings.port)
    announce(f"http://{settings.host}:{settings.port}/")
    return partial(serve, create_app(services), listener)

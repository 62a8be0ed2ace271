"""The web pages, or another application, as a service that can run alone or beside other work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp

from tearsheet.app import Services
from tearsheet.settings import Settings, WebSettings
from tearsheet.web.app import create_app
from tearsheet.web.listening import address_of, bind, bind_unix, remove_unix, tls_context
from tearsheet.web.proxies import is_loopback
from tearsheet.web.server import Limits, serve
from tearsheet.work import Service


def page_service(services: Services, announce: Callable[[str], None], warn: Callable[[str], None]) -> Service:
    """The pages of a data folder; see `app_service`."""
    return app_service(create_app(services), services.settings, services.settings.web, announce, warn)


def app_service(
    app: ASGIApp, settings: Settings, web: WebSettings, announce: Callable[[str], None], warn: Callable[[str], None]
) -> Service:
    """An application that is served as `web` says; `announce` is told its address, `warn` what is dangerous about it.

    The port or socket is bound now, so that one in use is reported before anything starts. Raises BusyError and ConfigError.
    """
    path = settings.path(web.socket)
    limits = Limits.of(web)
    tls = tls_context(_file(settings, web.certificate), _file(settings, web.key))
    listener = bind_unix(path) if web.socket else bind(web.host, web.port)
    announce(f"unix:{path}" if web.socket else address_of(listener, tls=tls is not None))
    if not web.socket and not tls and not is_loopback(web.host):
        warn(
            f"{web.host} can be reached from elsewhere without TLS: tokens and pages travel in plain text, for everyone on the "
            "way to read. Set web.certificate and web.key, or let only a proxy that speaks HTTPS reach this port."
        )

    async def run(stop: asyncio.Event) -> None:
        try:
            await serve(app, listener, stop, limits=limits, tls=tls)
        finally:
            if web.socket:
                remove_unix(path)

    return run


def _file(settings: Settings, name: str) -> str:
    return str(settings.path(name)) if name else ""

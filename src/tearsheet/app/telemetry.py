"""Who watches this process: a Sentry server by the settings, OpenTelemetry by its standard variables; usually nobody.

OpenTelemetry's own variables say where to and how: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`,
`OTEL_SERVICE_NAME`, `OTEL_METRIC_EXPORT_INTERVAL` and the others of its specification. OTLP goes over HTTP.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from tearsheet import __version__, telemetry
from tearsheet.app.error_reports import ErrorReports
from tearsheet.engines import load_client
from tearsheet.engines.broker import Depth
from tearsheet.errors import ConfigError, EngineError
from tearsheet.masking import masked
from tearsheet.settings import Settings

log = logging.getLogger(__name__)
_VARIABLES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)
_DEPTH_SECONDS = 15.0
_CLOSE_SECONDS = 3.0
_MOST_OF_AN_ANSWER = 64 * 1024
_REACH_SECONDS = 3.0


def wants_otel(environ: Mapping[str, str]) -> bool:
    """Whether the variables ask for OpenTelemetry."""
    return any(environ.get(name) for name in _VARIABLES) and environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


def begin_telemetry(settings: Settings) -> None:
    """Tell those who asked for it. Raises ConfigError when reports of errors are asked for and cannot be sent.

    OpenTelemetry's variables may be meant for other programs of this machine: without its extra there is a warning.
    """
    watchers: list[telemetry.Watcher] = []
    if settings.log.sentry_dsn:
        watchers.append(ErrorReports(settings.log.sentry_dsn))
    if wants_otel(os.environ):
        try:
            watchers.append(OpenTelemetry())
        except ConfigError as error:
            log.warning(str(error))
    telemetry.watch_with(*watchers)


def check_telemetry(settings: Settings) -> str:
    """Who is told what, for the doctor. Raises a TearsheetError for somebody who cannot be told."""
    told = {"errors": settings.log.sentry_dsn} | {
        "traces" if "TRACES" in name else "metrics" if "METRICS" in name else "traces and metrics": os.environ.get(name)
        for name in _VARIABLES
        if wants_otel(os.environ)
    }
    if wants_otel(os.environ):
        load_client("opentelemetry.exporter.otlp.proto.http.trace_exporter", "otel", _VARIABLES[0])
    found = [f"{what} go to {_reached(url)}" for what, url in told.items() if url]
    return "; ".join(found) or "nobody is told"


def _reached(url: str) -> str:
    """The host and port of an address that answers there. Raises EngineError."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((host, port), _REACH_SECONDS).close()
    except ValueError:
        raise EngineError(f"{masked(url)} is no address: write it as https://HOST:PORT") from None
    except OSError as error:
        raise EngineError(f"{masked(url)} cannot be reached ({error}): start it, or check this address") from error
    return f"{host}:{port}"


class OpenTelemetry:
    """Sends spans and figures by OTLP."""

    def __init__(self) -> None:
        setting = "OTEL_EXPORTER_OTLP_ENDPOINT"
        exporters = "opentelemetry.exporter.otlp.proto.http"
        spans = load_client(f"{exporters}.trace_exporter", "otel", setting)
        figures = load_client(f"{exporters}.metric_exporter", "otel", setting)
        traces = load_client("opentelemetry.sdk.trace", "otel", setting)
        sending = load_client("opentelemetry.sdk.trace.export", "otel", setting)
        metrics = load_client("opentelemetry.sdk.metrics", "otel", setting)
        reading = load_client("opentelemetry.sdk.metrics.export", "otel", setting)
        resources = load_client("opentelemetry.sdk.resources", "otel", setting)
        self._status: Any = load_client("opentelemetry.trace", "otel", setting).StatusCode
        name = os.environ.get("OTEL_SERVICE_NAME") or "tearsheet"
        resource = resources.Resource.create({"service.name": name, "service.version": __version__})
        self._traces = traces.TracerProvider(resource=resource, shutdown_on_exit=False)
        self._traces.add_span_processor(sending.BatchSpanProcessor(spans.OTLPSpanExporter(session=_session())))
        reader = reading.PeriodicExportingMetricReader(figures.OTLPMetricExporter(session=_session()))
        self._metrics = metrics.MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        self._tracer = self._traces.get_tracer("tearsheet", __version__)
        meter = self._metrics.get_meter("tearsheet", __version__)
        self._seconds = meter.create_histogram("tearsheet.work.duration", "s", "How long pieces of work took.")
        self._figures: dict[str, Any] = {}
        self._meter = meter

    def report(self, error: BaseException) -> None:
        """An error that ended the command, as a span without length: its kind alone."""
        now = time.time_ns()
        span = self._tracer.start_span("crash", start_time=now, attributes={"error.type": type(error).__qualname__})
        span.set_status(self._status.ERROR)
        span.end(now)

    def work(self, name: str, attributes: dict[str, str], begun: float, seconds: float, failed: bool) -> None:
        """A piece of work, as a span and in the histogram."""
        end = time.time_ns() - int((time.perf_counter() - begun - seconds) * 1e9)
        span = self._tracer.start_span(name, start_time=end - int(seconds * 1e9), attributes=attributes)
        if failed:
            span.set_status(self._status.ERROR)
        span.end(end)
        self._seconds.record(seconds, {"work": name, "failed": failed, **attributes})

    def figure(self, name: str, attributes: dict[str, str], value: float) -> None:
        """A figure, as a gauge."""
        if name not in self._figures:
            self._figures[name] = self._meter.create_gauge(name)
        self._figures[name].set(value, attributes)

    def close(self) -> None:
        """Send what waits, for a few seconds. The library waits far longer for a collector that does not answer."""
        sending = threading.Thread(target=self._close, daemon=True)
        sending.start()
        sending.join(_CLOSE_SECONDS)

    def _close(self) -> None:
        with suppress(Exception):  # the program has done its work
            self._traces.force_flush()
            self._metrics.force_flush()
            self._traces.shutdown()
            self._metrics.shutdown()


def _session() -> Any:
    """How a collector is asked: our headers, which may hold a key, go to it and to no other, and little of its answer is read."""
    session = load_client("requests", "otel", "OTEL_EXPORTER_OTLP_ENDPOINT").Session()
    session.max_redirects = 0
    session.hooks["response"].append(_cut_off)
    return session


def _cut_off(response: Any, **_: Any) -> None:
    response.raw = _Start(response.raw)


class _Start:
    """The start of a body."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._left = _MOST_OF_AN_ANSWER

    def read(self, size: int) -> bytes:
        """The next bytes; nothing at the end of what is wanted."""
        piece: bytes = self._raw.read(min(size, self._left))
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Hang up."""
        self._raw.close()


async def tell_depths(depths: Callable[[], Awaitable[dict[str, Depth]]], stop: asyncio.Event) -> None:
    """Tell the depth of every queue now and then, if anybody listens."""
    while telemetry.is_watched() and not stop.is_set():
        for queue, depth in (await depths()).items():
            for state in ("ready", "leased", "delayed"):
                telemetry.tell_figure("tearsheet.queue.depth", getattr(depth, state), queue=queue, state=state)
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), _DEPTH_SECONDS)

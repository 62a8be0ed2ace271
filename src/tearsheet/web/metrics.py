"""`/metrics`: the figures that Prometheus collects."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tearsheet import __version__
from tearsheet.app import disk_state
from tearsheet.engines.broker import Depth
from tearsheet.feeds.catalogue import feed_states
from tearsheet.feeds.polling import ENTRIES, POLLS, read_sums
from tearsheet.query import EVERYTHING
from tearsheet.telemetry import tell_work
from tearsheet.web.site import Site, ages_of, depths_of, site_of
from tearsheet.work import LABELS, LoopWatch, Times, living_workers, process_watch, read_times

router = APIRouter(tags=["health"])
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
Sample = tuple[Mapping[str, str], float]


@dataclass(slots=True, frozen=True)
class Metric:
    """The kind, meaning and labels of a metric."""

    kind: str
    help: str
    labels: tuple[str, ...] = ()


METRICS: dict[str, Metric] = {
    "tearsheet_build_info": Metric("gauge", "The version that answers.", ("version",)),
    "tearsheet_stories": Metric("gauge", "Stories in the index."),
    "tearsheet_archive_captures": Metric("gauge", "Captures in finished WARC files."),
    "tearsheet_archive_files": Metric("gauge", "Finished WARC files."),
    "tearsheet_archive_bytes": Metric("gauge", "Size of the finished WARC files."),
    "tearsheet_archive_last_success_timestamp": Metric("gauge", "When the newest WARC file was made."),
    "tearsheet_stories_total": Metric(
        "counter",
        "How often a stage ended, put off or set aside a story, each try of it by its own reason.",
        ("stage", "status", "reason"),
    ),
    "tearsheet_stage_seconds": Metric(
        "histogram", "Time that a stage spent on a story, by all workers; of a batch, an equal part.", ("stage",)
    ),
    "tearsheet_queue_depth": Metric("gauge", "Messages in a queue: ready, leased or delayed.", ("queue", "state")),
    "tearsheet_queue_oldest_seconds": Metric(
        "gauge", "How long the oldest message of a queue has been ready; without a value when none is.", ("queue",)
    ),
    "tearsheet_worker_stories_per_second": Metric("gauge", "How fast a worker is.", ("stage", "worker")),
    "tearsheet_worker_stories_total": Metric("counter", "Stories that a worker has settled.", ("stage", "worker")),
    "tearsheet_worker_stalled_seconds_total": Metric(
        "counter", "How long a worker's process was blocked or not let run, over 0.1 s at a time.", ("stage", "worker")
    ),
    "tearsheet_disk_free_bytes": Metric("gauge", "Free space of the fullest disk that this data folder uses."),
    "tearsheet_disk_short": Metric("gauge", "1 when less than `storage.min_free_bytes` is free and queuers pause."),
    "tearsheet_feeds": Metric("gauge", "Feeds that are polled well, that fail, and that are off.", ("state",)),
    "tearsheet_feed_polls_total": Metric(
        "counter", "Polls of feeds by how they ended: a status, or why there was nothing to read.", ("reason",)
    ),
    "tearsheet_feed_entries_total": Metric(
        "counter", "Entries that were seen in feeds: added as stories, or passed over, by the reason.", ("reason",)
    ),
    "tearsheet_loop_blocks_total": Metric("counter", "How often this process answered nobody for over 0.1 s."),
    "tearsheet_loop_blocked_seconds_total": Metric(
        "counter", "How long this process answered nobody, in blocks of over 0.1 s."
    ),
    "tearsheet_loop_longest_block_seconds": Metric("gauge", "The longest block since this process started."),
    "tearsheet_loop_late_seconds_total": Metric(
        "counter", "How long this process was not let run though it could have, over 0.1 s at a time."
    ),
    "tearsheet_processes_ended_total": Metric(
        "counter", "Reading processes of this process that a page ended, and that were replaced.", ("reason",)
    ),
    "tearsheet_http_requests_total": Metric("counter", "Requests that were answered.", ("method", "route", "status")),
    "tearsheet_http_request_seconds": Metric("histogram", "Time to answer a request.", ("route",)),
}
"""Every metric, in output order."""


class RequestTimes:
    """How many requests were answered, and how fast, by route."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str, int], int] = defaultdict(int)
        self.times: dict[str, list[Times]] = defaultdict(lambda: [Times()] * (len(BUCKETS) + 1))

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record one request."""
        self.counts[method, route, status] += 1
        place = bisect_left(BUCKETS, seconds)
        self.times[route][place] = self.times[route][place].plus(1, seconds)


class Timing:
    """Times every request. Routes are named by their pattern, so that visitors cannot make up names."""

    def __init__(self, app: ASGIApp, *, times: RequestTimes) -> None:
        self._app = app
        self._times = times

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Time one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
            seconds = perf_counter() - begun
            self._times.add(method, route, status, seconds)
            tell_work("request", begun, seconds, failed=status >= 500, method=method, route=route, status=str(status))


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(
    request: Request,
    depths: Annotated[dict[str, Depth], Depends(depths_of)],
    ages: Annotated[dict[str, float], Depends(ages_of)],
) -> PlainTextResponse:
    """Everything that is counted, in the text format of Prometheus."""
    site = site_of(request)
    watch, times = process_watch(), request.app.state.times
    lines = [*_stories(site), *_work(site, depths, ages), *_process(watch), *_requests(times)]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")


def _stories(site: Site) -> Iterator[str]:
    services = site.services
    totals = services.archive.totals()
    yield from family("tearsheet_build_info", [({"version": __version__}, 1)])
    yield from family("tearsheet_stories", [({}, services.index.count(EVERYTHING))])
    yield from family("tearsheet_archive_captures", [({}, totals.stories)])
    yield from family("tearsheet_archive_files", [({}, totals.files)])
    yield from family("tearsheet_archive_bytes", [({}, totals.size)])
    if totals.newest is not None:
        newest: list[Sample] = [({}, totals.newest.timestamp())]
        yield from family("tearsheet_archive_last_success_timestamp", newest)
    outcomes = [
        ({"stage": count.stage, "status": count.status, "reason": count.reason}, count.stories)
        for count in services.ledger.recorded()
    ]
    yield from family("tearsheet_stories_total", outcomes)
    times = read_times(services.database)
    yield from histogram("tearsheet_stage_seconds", "stage", LABELS, times)


def _work(site: Site, depths: Mapping[str, Depth], ages: Mapping[str, float]) -> Iterator[str]:
    waiting = [
        ({"queue": name, "state": state}, getattr(depth, state))
        for name, depth in sorted(depths.items())
        for state in ("ready", "leased", "delayed")
    ]
    yield from family("tearsheet_queue_depth", waiting)
    yield from family("tearsheet_queue_oldest_seconds", [({"queue": name}, age) for name, age in ages.items()])
    database = site.services.database
    workers = living_workers(database, site.clock)
    rates = [({"stage": worker.stage, "worker": worker.id}, worker.per_second) for worker in workers]
    settled = [({"stage": worker.stage, "worker": worker.id}, worker.settled) for worker in workers]
    yield from family("tearsheet_worker_stories_per_second", rates)
    yield from family("tearsheet_worker_stories_total", settled)
    stalled = [({"stage": worker.stage, "worker": worker.id}, worker.stalled_seconds) for worker in workers]
    yield from family("tearsheet_worker_stalled_seconds_total", stalled)
    disk = disk_state(site.services)
    yield from family("tearsheet_disk_free_bytes", [({}, disk.free_bytes)])
    yield from family("tearsheet_disk_short", [({}, int(bool(disk.short)))])
    states = [({"state": state}, count) for state, count in feed_states(database).items()]
    yield from family("tearsheet_feeds", states)
    for name, what in (("tearsheet_feed_polls_total", POLLS), ("tearsheet_feed_entries_total", ENTRIES)):
        yield from family(name, [({"reason": reason}, count) for reason, count in read_sums(database, what)])


def _process(watch: LoopWatch) -> Iterator[str]:
    """Of all loops of this process: with `tearsheet run`, also of the collector's."""
    yield from family("tearsheet_loop_blocks_total", [({}, watch.blocks)])
    yield from family("tearsheet_loop_blocked_seconds_total", [({}, watch.blocked_seconds)])
    yield from family("tearsheet_loop_longest_block_seconds", [({}, watch.longest)])
    yield from family("tearsheet_loop_late_seconds_total", [({}, watch.late_seconds)])
    ended = [({"reason": reason}, count) for reason, count in sorted(watch.ended_processes.items())]
    yield from family("tearsheet_processes_ended_total", ended)


def _requests(times: RequestTimes) -> Iterator[str]:
    counts = [
        ({"method": method, "route": route, "status": str(status)}, count)
        for (method, route, status), count in sorted(times.counts.items())
    ]
    yield from family("tearsheet_http_requests_total", counts)
    yield from histogram("tearsheet_http_request_seconds", "route", (*map(str, BUCKETS), "+Inf"), dict(times.times))


def histogram(name: str, label: str, edges: Sequence[str], times: Mapping[str, Sequence[Times]]) -> Iterator[str]:
    """Durations by the values of one label, as how many are not above each edge; nothing if there are none."""
    if times:
        yield from _head(name)
    for value, classes in sorted(times.items()):
        total = 0
        for edge, found in zip(edges, classes, strict=True):
            total += found.stories
            yield f"{name}_bucket{_labels({label: value, 'le': edge})} {total}"
        seconds = sum(found.seconds for found in classes)
        yield f"{name}_sum{_labels({label: value})} {seconds:.6f}"
        yield f"{name}_count{_labels({label: value})} {total}"


def family(name: str, samples: Iterable[Sample]) -> Iterator[str]:
    """One metric with its samples; nothing if there are none."""
    lines = [f"{name}{_labels(labels)} {_value(value)}" for labels, value in samples]
    if lines:
        yield from (*_head(name), *lines)


def _head(name: str) -> tuple[str, str]:
    metric = METRICS[name]
    return f"# HELP {name} {metric.help}", f"# TYPE {name} {metric.kind}"


def _labels(labels: Mapping[str, Any]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(str(value))}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _value(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}"

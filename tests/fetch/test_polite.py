"""The one polite request: everyone who asks a host shares its pace and hears what it says, in one process and in two."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tearsheet.engines.database import open_database
from tearsheet.fetch import (
    FetchError,
    FetchRequest,
    HostFailing,
    HostPaused,
    HostStore,
    PoliteClient,
    RobotsForbid,
    RobotsUnavailable,
    polite,
)
from tearsheet.settings import FetchSettings
from tests.support.askers import Askers, polite_settings
from tests.support.feed_fakes import rss
from tests.support.ingest_site import PNG, prose
from tests.support.loopback_web import Request, Web, redirect, response, serve
from tests.support.patience import PATIENCE

PACE = 0.8
TOLERANCE = 0.3
"""A turn may be used a quarter of the pace late; then it is sent, and noted by the server when its own thread comes to it."""
PAUSE = 3


def page(body: str = "") -> bytes:
    return f"<html><head><title>A flood</title></head><body>{prose(1500)}{body}</body></html>".encode()


class Paper:
    """A host with something for everyone. Each request is noted with its time; paths in `busy` are told to come back once."""

    def __init__(self, *busy: str, retry_after: int = PAUSE) -> None:
        self.busy = set(busy)
        self.retry_after = retry_after
        self.seen: list[tuple[float, str]] = []
        self.told: list[float] = []

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        self.seen.append((time.monotonic(), request.path))
        if request.path in self.busy:
            self.busy.remove(request.path)
            writer.write(response(b"", "503 Busy", (f"Retry-After: {self.retry_after}",)))
            await writer.drain()
            self.told.append(time.monotonic())
            return
        writer.write(self.answer(request.path))

    def answer(self, path: str) -> bytes:
        base, _, name = path.rpartition("/")
        match name:
            case "robots.txt":
                return response(b"User-agent: *\nDisallow: /private\n", headers=("Content-Type: text/plain",))
            case "poller" | "feed.xml":
                return response(rss("http://far.example/story"), headers=("Content-Type: application/rss+xml",))
            case "discovery":
                link = f'<link rel=alternate type="application/rss+xml" href="{base}/feed.xml">'
                return response(f"<html><head>{link}</head></html>".encode())
            case "pictures":
                return response(page(f"<img src={base}/one.png><img src={base}/two.png>"))
            case "one.png" | "two.png":
                return response(PNG, headers=("Content-Type: image/png",))
            case _:
                return response(page())

    def check_pace(self) -> None:
        times = [at for at, _ in self.seen]
        gaps = [later - sooner for sooner, later in pairwise(times)]
        assert min(gaps) >= PACE - TOLERANCE, [
            (round(gap, 3), path) for gap, (_, path) in zip(gaps, self.seen, strict=False)
        ]

    def check_pause(self) -> None:
        [told] = self.told
        early = [path for at, path in self.seen if told < at < told + self.retry_after - TOLERANCE]
        assert early == []

    def paths(self) -> set[str]:
        return {path for _, path in self.seen}


def all_paths(name: str) -> set[str]:
    own = ("fetcher", "poller", "discovery", "feed.xml", "spider", "ingest", "pictures", "one.png", "two.png")
    return {f"/{name}/{path}" for path in own}


def run(test: Awaitable[None], seconds: float = 110) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(seconds):
            await test

    asyncio.run(bounded())


@contextmanager
def serving(paper: Paper) -> Iterator[Web]:
    """Serve in a thread of its own, which notes the time of a request however busy those who ask are."""
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, Web]] = Future()

    async def work() -> None:
        stop = asyncio.Event()
        async with serve(paper) as web:
            ready.set_result((asyncio.get_running_loop(), stop, web))
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(work(),))
    thread.start()
    loop, stop, web = ready.result(PATIENCE)
    try:
        yield web
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)


def test_everyone_in_one_process_keeps_one_pace_and_hears_one_pause(database):
    paper = Paper("/a/two.png")

    async def test(web: Web) -> None:
        async with PoliteClient(polite_settings(web.port, PACE), HostStore(database)) as client:
            assert await Askers(database, client, "a").ask_all_at_once() == ["remote-server-error"]

    with serving(paper) as web:
        run(test(web))
    paper.check_pace()
    paper.check_pause()
    assert paper.paths() == all_paths("a") | {"/robots.txt"}


class Curt(Paper):
    """Ends a connection that is used a second time without an answer. Curl would repeat such a request at once, by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[int] = set()

    async def __call__(self, request: Request, writer: asyncio.StreamWriter) -> None:
        if request.connection in self.used:
            self.seen.append((time.monotonic(), request.path))
            writer.close()
            return
        self.used.add(request.connection)
        await super().__call__(request, writer)


def test_no_request_is_repeated_past_the_pace_when_a_connection_ends_unanswered(database):
    paper = Curt()

    async def test(web: Web) -> None:
        async with PoliteClient(polite_settings(web.port, PACE), HostStore(database)) as client:
            assert await Askers(database, client, "a").ask_all_at_once() == []

    with serving(paper) as web:
        run(test(web))
    paper.check_pace()
    assert paper.paths() == all_paths("a") | {"/robots.txt"}


@asynccontextmanager
async def process(folder: Path, web: Web, name: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Another process with everyone in it, which begins at a line of input."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.askers", str(folder), str(web.port), str(PACE), name,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert child.stdout and await child.stdout.readline() == b"ready\n"
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()


def test_everyone_in_two_processes_keeps_one_pace_and_hears_one_pause(database, tmp_path):
    paper = Paper("/a/fetcher")

    async def test(web: Web) -> None:
        async with process(tmp_path, web, "a") as one, process(tmp_path, web, "b") as two:
            said = await asyncio.gather(*(child.communicate(b"go\n") for child in (one, two)))
            assert [out for out, _ in said] == [b"[]\n"] * 2

    with serving(paper) as web:
        run(test(web))
    paper.check_pace()
    paper.check_pause()
    assert paper.paths() == all_paths("a") | all_paths("b") | {"/robots.txt"}


def test_a_process_that_is_killed_leaves_a_record_that_others_keep(database, tmp_path):
    paper = Paper()

    async def test(web: Web) -> None:
        async with process(tmp_path, web, "a") as child:
            assert child.stdin
            child.stdin.write(b"go\n")
            while len(paper.seen) < 3:
                await asyncio.sleep(0.01)
            os.kill(child.pid, signal.SIGKILL)
            await child.wait()
            async with PoliteClient(polite_settings(web.port, PACE), HostStore(database)) as client:
                assert await Askers(database, client, "b").poll() == ""

    with serving(paper) as web:
        run(test(web))
    paper.check_pace()
    assert paper.seen[-1][1] == "/b/poller"


ASKERS = ("fetcher", "poller", "discovery", "spider", "ingest", "sub-resource")


@pytest.mark.parametrize("first", ASKERS)
def test_what_a_host_tells_one_is_heard_by_everyone(database, tmp_path, first):
    """An hour's pause; the others have a client and a connection of their own, as another process has."""
    told = {"sub-resource": "one.png", "discovery": "feed.xml"}.get(first, first)
    paper = Paper(f"/a/{told}", retry_after=3600)
    other = open_database("t.db", tmp_path)

    async def test() -> None:
        async with serve(paper) as web:
            settings = polite_settings(web.port, 0.0)
            async with PoliteClient(settings, HostStore(database)) as client:
                await Askers(database, client, "a").all()[first]()
            assert paper.told
            before = len(paper.seen)
            async with PoliteClient(settings, HostStore(other)) as client:
                for who, ask in Askers(other, client, "b").all().items():
                    assert await ask(), who
            assert len(paper.seen) == before, "nobody asks"

    run(test())
    other.close()


# ------------------------------------------------------------------------------------------------------ one request


class Time:
    """Real time, and what a test adds to it."""

    def __init__(self) -> None:
        self.more = 0.0

    def __call__(self) -> float:
        return time.time() + self.more


def with_client(answer: Any, test: Callable[[PoliteClient, Web, Time], Awaitable[None]], **settings: Any) -> None:
    async def go() -> None:
        async with serve(answer) as web:
            values: dict[str, Any] = {
                "connect_to": {"*": f"127.0.0.1:{web.port}"},
                "interval_seconds": 0.0,
                "timeout_seconds": 30.0,
            }
            fetch = FetchSettings(allow_addresses=["127.0.0.0/8"], **(values | settings))
            clock = Time()
            async with PoliteClient(fetch, clock=clock) as client:
                await test(client, web, clock)

    run(go(), 30)


async def site(request: Request, writer: asyncio.StreamWriter) -> None:
    """Hosts that do what the path says."""
    match request.path:
        case "/robots.txt":
            writer.write(response(b"User-agent: *\nDisallow: /private\n"))
        case "/moved":
            writer.write(redirect("http://far.example/page"))
        case "/moved-to-busy":
            writer.write(redirect("http://far.example/busy"))
        case "/moved-to-private":
            writer.write(redirect("http://far.example/private"))
        case "/moved-to-silence":
            writer.write(redirect("http://far.example/silence"))
        case "/here":
            writer.write(redirect("/there"))
        case "/busy":
            writer.write(response(b"", "503 Busy", ("Retry-After: 600",)))
        case "/silence":
            await asyncio.sleep(10)
        case _:
            writer.write(response(b"<p>news</p>"))


def test_each_hop_asks_robots_and_a_pause_is_for_the_host_that_asked_for_it():
    async def test(client, web, clock):
        answer = await client.fetch(FetchRequest("http://near.example/moved-to-busy"))
        assert (answer.status, answer.url) == (503, "http://far.example/busy")
        assert [(seen.host, seen.path) for seen in web.requests] == [
            ("near.example", "/robots.txt"),
            ("near.example", "/moved-to-busy"),
            ("far.example", "/robots.txt"),
            ("far.example", "/busy"),
        ]
        with pytest.raises(HostPaused) as paused:
            await client.fetch(FetchRequest("http://far.example/page"))
        assert 590 < paused.value.after < 610
        assert (await client.fetch(FetchRequest("http://near.example/page"))).status == 200
        with pytest.raises(HostPaused):
            await client.fetch(FetchRequest("http://near.example/moved"))
        clock.more += 601
        assert (await client.fetch(FetchRequest("http://near.example/moved"))).status == 200

    with_client(site, test)


def test_robots_forbid_a_hop_unless_they_are_not_to_be_asked():
    async def test(client, web, clock):
        for path in ("private", "moved-to-private"):
            with pytest.raises(RobotsForbid) as forbidden:
                await client.fetch(FetchRequest(f"http://near.example/{path}"))
            assert forbidden.value.url.endswith("/private")
        assert "/private" not in web.paths
        before = len(web.paths)
        await client.fetch(FetchRequest("http://other.example/moved-to-private", obey_robots=False))
        assert web.paths[before:] == ["/moved-to-private", "/private"]

    with_client(site, test)


def test_hops_within_a_host_take_turns_too():
    times: list[float] = []

    async def answer(request, writer):
        times.append(time.monotonic())
        await site(request, writer)

    async def test(client, web, clock):
        assert (await client.fetch(FetchRequest("http://near.example/here"))).status == 200
        assert web.paths == ["/robots.txt", "/here", "/there"]
        assert min(later - sooner for sooner, later in pairwise(times)) >= PACE - TOLERANCE

    with_client(answer, test, interval_seconds=PACE)


def test_the_host_that_does_not_answer_is_the_one_that_is_slow():
    async def test(client, web, clock):
        with pytest.raises(FetchError) as error:
            await client.fetch(FetchRequest("http://near.example/moved-to-silence", timeout=3))
        assert error.value.kind in ("timeout", "read-timeout")
        far, near = [
            await client._record.ask(f"{name}.example", lambda state, now: (state, state)) for name in ("far", "near")
        ]
        assert far.average > near.average
        assert (far.failures, near.failures) == (0, 0)

    with_client(site, test)


def test_a_host_that_cannot_be_reached_is_left_alone():
    async def test(client, web, clock):
        request = FetchRequest("http://down.example/", obey_robots=False)
        with pytest.raises(FetchError):
            await client.fetch(request)
        for pause in (60, 240):
            with pytest.raises(HostFailing) as failing:
                await client.fetch(request)
            assert pause - 5 < failing.value.after <= pause
            clock.more += pause
            with pytest.raises(FetchError):
                await client.fetch(request)

    with_client(b"", test, connect_to={"*": "127.0.0.1:1"})


def test_who_has_patience_waits_for_a_busy_host(monkeypatch):
    monkeypatch.setattr(polite, "HOLD_SECONDS", 0.0)

    async def answer(request, writer):
        busy = request.path == "/busy"
        writer.write(response(b"", "503 Busy", ("Retry-After: 600",)) if busy else response(b"x"))

    async def test(client, web, clock):
        await client.fetch(FetchRequest("http://a.example/busy", obey_robots=False))
        for patience in (0.0, 60.0):
            with pytest.raises(HostPaused):
                await client.fetch(FetchRequest("http://a.example/", obey_robots=False, patience=patience))
        clock.more += 599.5
        assert (await client.fetch(FetchRequest("http://a.example/", obey_robots=False, patience=9))).status == 200
        assert web.paths == ["/busy", "/"]

    with_client(answer, test)


def test_robots_that_cannot_be_read_hold_back_even_who_has_patience():
    async def test(client, web, clock):
        with pytest.raises(RobotsUnavailable):
            await client.fetch(FetchRequest("http://a.example/", patience=5))
        assert web.paths == ["/robots.txt"]

    with_client(response(b"", "500 Broken"), test)


def test_an_address_that_cannot_be_asked_for():
    async def test(client, web, clock):
        with pytest.raises(FetchError) as error:
            await client.fetch(FetchRequest("gopher://a.example/"))
        assert error.value.kind == "bad-url"

    with_client(site, test)

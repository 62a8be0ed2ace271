"""Traces six walks through the program and prints the modules that each passes: `python -m tools.walks`.

A real story, search, topic link, ingest, poll and page go through the real program, on a small site that is served on loopback and
embedded engines in a temporary folder. A module is printed when the walk first enters it, in this process or in a worker process
that it started. A walk is straight when no package is called by one that it waits for: whatever goes back is printed after `↩`.
What everything shares (`story`, `urls`, `clock`, …, the lexicon) is left out. It is a mirror, not a limit:
`docs/explanation/architecture.md` shows its output, and `tests/docs/test_architecture.py` compares the two.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import CO_GENERATOR, CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import NamedTuple
from urllib.request import urlopen

HOST = "paper.example"
LINKED = "second.example"
WIDTH = 118


class Walk(NamedTuple):
    """The modules that were entered, in order, and the calls that went back, as `caller callee`."""

    modules: list[str]
    backward: list[str]


class Tracer:
    """Notes each module of the program when one of its functions is first called, and each call that goes back.

    All processes of a walk write into one pipe, which each opens when it starts: later, a worker process can open nothing.
    """

    def __init__(self, pipe: str | Path) -> None:
        self._pipe = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        self._seen: set[str] = set()

    def start(self) -> None:
        """Trace this thread and those that are started from now on."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def stop(self) -> None:
        """Trace no more."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Bodies of modules and classes run while they are imported; functions made by dataclasses only hold values.
        if event != "call" or not code.co_flags & CO_OPTIMIZED or code.co_filename.startswith("<"):
            return
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("tearsheet."):
            return
        if module not in self._seen and not is_importing(frame):
            self._write(module)
        # A generator that goes on where it was is not called again.
        if not code.co_flags & CO_GENERATOR and (caller := backward_caller(frame)):
            self._write(f"{caller} {module}")

    def _write(self, line: str) -> None:
        if line not in self._seen:
            self._seen.add(line)
            os.write(self._pipe, f"{line}\n".encode())

    def lines(self) -> list[str]:
        """What all processes have written. This ends the tracing."""
        written = b""
        with suppress(BlockingIOError):
            while True:
                written += os.read(self._pipe, 65536)
        os.close(self._pipe)
        return written.decode().splitlines()


def room_of(module: str) -> str:
    """The package of a module, without the name of the program; empty for what everything shares."""
    return module.removeprefix("tearsheet.").rpartition(".")[0]


def backward_caller(frame: FrameType) -> str:
    """The module that calls this function, if this function's package waits for that one's; otherwise nothing."""
    room = room_of(frame.f_globals["__name__"])
    callers = (name for name in names_above(frame) if (above := room_of(name)) and above != "lexicon")
    nearest = next(callers, "")
    if not room or room == "lexicon" or not nearest or room_of(nearest) == room:
        return ""
    return nearest if any(room_of(name) == room for name in callers) else ""


def names_above(frame: FrameType) -> Iterator[str]:
    """The modules of the program that wait for this function to end, nearest first."""
    above = frame.f_back
    while above is not None:
        name = above.f_globals.get("__name__", "")
        if name.startswith("tearsheet."):
            yield name
        above = above.f_back


def is_importing(frame: FrameType) -> bool:
    """Whether a function is called only because a module is being imported: decorators, tables that are built once."""
    caller = frame.f_back
    while caller is not None:
        if caller.f_code.co_name == "<module>" and caller.f_globals["__name__"].startswith("tearsheet."):
            return True
        caller = caller.f_back
    return False


def trace_a_worker(pipe: str) -> None:
    """Called in each worker process that a walk starts, by the `sitecustomize` that `walking` puts in its way."""
    Tracer(pipe).start()


@contextmanager
def walking(folder: Path) -> Iterator[Callable[[Callable[[], object]], Walk]]:
    """Gives a function that calls another and returns how that went."""
    pipe = folder / "walk.pipe"
    os.mkfifo(pipe)
    call = f"from tools.walks import trace_a_worker\ntrace_a_worker({str(pipe)!r})\n"
    (folder / "sitecustomize.py").write_text(call, "utf-8")
    before = os.environ.get("PYTHONPATH", "")
    root = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), root, before)))

    def walk(do: Callable[[], object]) -> Walk:
        tracer = Tracer(pipe)
        tracer.start()
        try:
            do()
        finally:
            tracer.stop()
        lines = dict.fromkeys(line.replace("tearsheet.", "") for line in tracer.lines())
        entered = [name for name in lines if " " not in name and room_of(name) not in ("", "lexicon")]
        return Walk(entered, sorted(line for line in lines if " " in line))

    try:
        yield walk
    finally:
        os.environ["PYTHONPATH"] = before


class Site(BaseHTTPRequestHandler):
    """Two papers: a feed, a story, and another story that the first one links to."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer with the page of this path."""
        body, kind = page(self.path.partition("?")[0])
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def page(path: str) -> tuple[bytes, str]:
    """What stands at a path, and its type; nothing at others."""
    text = "".join(
        f"<p>The harbour council met on day {n} and heard about the lighthouse and its keeper.</p>" for n in range(120)
    )
    if path == "/feed.xml":
        item = f"<item><title>Lighthouse saved</title><link>http://{HOST}/story.html</link></item>"
        return f"<rss version='2.0'><channel><title>Paper</title>{item}</channel></rss>".encode(), "application/rss+xml"
    if path in ("/story.html", "/linked.html", "/document.html"):
        link = f"<p>As <a href='http://{LINKED}/linked.html'>the second paper wrote</a>, the lighthouse stays.</p>"
        picture = "<img src='/picture.png'>" if path == "/document.html" else ""
        title = f"Lighthouse {path[1:-5]} report"
        body = f"<article><h1>{title}</h1>{text}{link}{picture}</article>"
        html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
        return html.encode(), "text/html; charset=utf-8"
    if path == "/picture.png":
        return b"\x89PNG\r\n\x1a\n" + b"\0" * 64, "image/png"
    return b"", "text/plain"


@contextmanager
def site() -> Iterator[int]:
    """Serve the papers on loopback; gives the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def command(data: Path, *words: str) -> None:
    """Type a command of the program, in this process."""
    from tearsheet.cli import app

    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        try:
            app(["--data", str(data), "--quiet", *words])
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{' '.join(words)}: exit code {end.code}: {said.getvalue()}") from end


def prepare(data: Path, port: int) -> None:
    """A data folder that knows the two papers, with a page to read, a topic and a story in its index."""
    data.mkdir()
    hosts = {HOST: f"127.0.0.1:{port}", LINKED: f"127.0.0.1:{port}"}
    connect = ", ".join(f"{json.dumps(name)} = {json.dumps(place)}" for name, place in hosts.items())
    manners = ", ".join(f'{json.dumps(name)} = "pace"' for name in hosts)
    (data / "config.toml").write_text(
        f'[fetch]\nallow_addresses = ["127.0.0.0/8"]\nconnect_to = {{ {connect} }}\nmanners_off = {{ {manners} }}\n'
        "[pipeline]\nparser_processes = 1\nimport_seconds = 0.1\n[archive]\nmax_seconds = 0.1\n"
    )
    (data / "stories.csv").write_text(f"url\nhttp://{HOST}/story.html\n")
    command(data, "feeds", "add", f"http://{HOST}/feed.xml")
    command(
        data,
        "topic",
        "create",
        "lighthouse",
        "lighthouse",
        "--from",
        "2020-01-01",
        "--to",
        "2030-01-01",
        "--seconds",
        "0",
    )
    command(data, "topic", "seed", "lighthouse", f"http://{HOST}/story.html")


def open_page(data: Path) -> None:
    """Serve the pages and look at one, as a browser does."""
    from tearsheet.app import Services
    from tearsheet.settings import load_settings
    from tearsheet.web.app import create_app
    from tearsheet.web.listening import address_of, bind
    from tearsheet.web.server import serve

    async def look() -> None:
        listener, stop = bind("127.0.0.1", 0), asyncio.Event()
        with Services(load_settings(data, environ={})) as services:
            serving = asyncio.create_task(serve(create_app(services), listener, stop))
            try:
                page = f"{address_of(listener)}search?q=lighthouse"
                await asyncio.to_thread(lambda: urlopen(page, timeout=60).read())
            finally:
                stop.set()
                await serving

    asyncio.run(look())


def walks(data: Path) -> dict[str, Callable[[], object]]:
    """The six walks by name, in an order in which each finds what it needs."""
    return {
        "A poll": lambda: command(data, "feeds", "poll"),
        "A story": lambda: command(data, "pipeline", "run", "csv", str(data / "stories.csv")),
        "A search": lambda: command(data, "search", "lighthouse"),
        "A page": lambda: open_page(data),
        "A link of a topic": lambda: command(data, "topic", "run", "lighthouse"),
        "An ingest": lambda: command(data, "ingest", f"http://{HOST}/document.html"),
    }


def trace() -> dict[str, Walk]:
    """The walks by name."""
    with tempfile.TemporaryDirectory() as folder, site() as port, walking(Path(folder)) as walk:
        data = Path(folder, "data")
        prepare(data, port)
        return {name: walk(do) for name, do in walks(data).items()}


def shown(name: str, walk: Walk) -> str:
    """A walk as a paragraph: each package once, in the order in which it was entered, with the modules that were passed in it."""
    rooms: dict[str, list[str]] = {}
    for module in walk.modules:
        room, _, last = module.rpartition(".")
        rooms.setdefault(room, []).append(last)
    lines = [f"{name}: {len(walk.modules)} modules of {len(rooms)} packages, {len(walk.backward)} going back"]
    line = ""
    steps = [f"› {room} ({', '.join(names)})" for room, names in rooms.items()]
    for step in (*steps, *(f"↩ {call.replace(' ', ' calls ')}" for call in walk.backward)):
        if line and len(line) + len(step) > WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {step}" if line else f"  {step}"
    return "\n".join([*lines, line])


if __name__ == "__main__":
    for title, passed in trace().items():
        print(shown(title, passed), end="\n\n")

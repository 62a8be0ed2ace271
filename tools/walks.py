"""Traces six walks through the program and prints the modules that each passes: `python -m tools.walks`.

A real story, search, topic link, ingest, poll and page go through the real program, on a small site that is served on loopback and
embedded engines in a temporary folder. A module is printed when the walk first enters it, in this process or in a worker process
that it started. What everything shares (`story`, `urls`, `clock`, …, the lexicon) is left out. It is a mirror, not a limit:
`docs/explanation/architecture.md` shows its output, and `tests/docs/test_walks.py` compares the two.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import CO_OPTIMIZED
from io import StringIO
from itertools import groupby
from pathlib import Path
from types import FrameType
from urllib.request import urlopen

LOG = "TEARSHEET_WALK_LOG"
"""Names the file in which every process of a walk notes the modules that it enters."""
HOST = "paper.example"
LINKED = "second.example"
WIDTH = 118


class Tracer:
    """Notes each module of the program when one of its functions is first called."""

    def __init__(self, log: Path) -> None:
        self._log = log
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
        if module not in self._seen and module.startswith("tearsheet.") and not is_importing(frame):
            self._seen.add(module)
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"{module}\n")


def is_importing(frame: FrameType) -> bool:
    """Whether a function is called only because a module is being imported: decorators, tables that are built once."""
    caller = frame.f_back
    while caller is not None:
        if caller.f_code.co_name == "<module>" and caller.f_globals["__name__"].startswith("tearsheet."):
            return True
        caller = caller.f_back
    return False


def trace_a_worker() -> None:
    """Called in each worker process that a walk starts, by the `sitecustomize` that `walking` puts in its way."""
    if LOG in os.environ:
        Tracer(Path(os.environ[LOG])).start()


@contextmanager
def walking(folder: Path) -> Iterator[Callable[[Callable[[], object]], list[str]]]:
    """Gives a function that calls another and returns the modules which that entered, in order, each once."""
    (folder / "sitecustomize.py").write_text("from tools.walks import trace_a_worker\ntrace_a_worker()\n", "utf-8")
    before = os.environ.get("PYTHONPATH", "")
    root = str(Path(__file__).parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), root, before)))

    def walk(do: Callable[[], object]) -> list[str]:
        log = folder / "walk.log"
        log.write_text("")
        os.environ[LOG] = str(log)
        tracer = Tracer(log)
        tracer.start()
        try:
            do()
        finally:
            tracer.stop()
            del os.environ[LOG]
        entered = (name.removeprefix("tearsheet.") for name in dict.fromkeys(log.read_text("utf-8").split()))
        return [name for name in entered if "." in name and name.split(".")[0] != "lexicon"]

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
    from tearsheet.web.server import address_of, bind, serve

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


def trace() -> dict[str, list[str]]:
    """The modules of each walk."""
    with tempfile.TemporaryDirectory() as folder, site() as port, walking(Path(folder)) as walk:
        data = Path(folder, "data")
        prepare(data, port)
        return {name: walk(do) for name, do in walks(data).items()}


def shown(name: str, modules: list[str]) -> str:
    """A walk as a paragraph: each package once, in the order in which it was entered, with the modules that were passed in it."""
    rooms: dict[str, list[str]] = {}
    for module in modules:
        room, _, last = module.rpartition(".")
        rooms.setdefault(room, []).append(last)
    returns = sum(1 for _ in groupby(modules, key=lambda module: module.rpartition(".")[0])) - len(rooms)
    lines, line = (
        [f"{name}: {len(modules)} modules of {len(rooms)} packages, {returns} returns to one entered before"],
        "",
    )
    for step in (f"› {room} ({', '.join(names)})" for room, names in rooms.items()):
        if line and len(line) + len(step) > WIDTH:
            lines.append(line)
            line = ""
        line = f"{line} {step}" if line else f"  {step}"
    return "\n".join([*lines, line])


if __name__ == "__main__":
    for title, passed in trace().items():
        print(shown(title, passed), end="\n\n")

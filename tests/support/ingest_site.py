"""Sites on loopback for ingests: any host name leads to pages that the test wrote."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from tearsheet.fetch import PoliteClient
from tearsheet.ingest import Ingester, IngestLimits, IngestWebResult, request_for
from tearsheet.ingest.fetching import Fetched, Visitor
from tearsheet.settings import FetchSettings
from tearsheet.work import ThreadReader
from tests.support.loopback_web import Request, Web, response, serve
from tests.support.patience import PATIENCE

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
WHO = (
    "The harbour master",
    "A young pilot",
    "The widow of Orsel",
    "Her brother",
    "The clerk of works",
    "An old captain",
    "Nobody",
)
DID = ("wrote down", "remembered", "doubted", "explained", "measured", "found again")
WHAT = (
    "the hour of the tide",
    "how far the river had risen",
    "a list of lost boats",
    "the price of salt",
    "what the bridge had cost",
)
WHEN = ("before the winter", "on a Tuesday in June", "while the council met", "long after the flood")
WHERE = ("in the long book of the port.", "at the table by the northern window.", "for the paper of the next morning.")
_SENTENCE_WORDS = 18  # at least: some have more


def sentence(number: int) -> str:
    """A sentence that is like no other: pages that say the same again and again are no articles."""
    parts = (choices[number % len(choices)] for choices in (WHO, DID, WHAT, WHEN, WHERE))
    return " ".join((*parts, f"It was the entry numbered {number + 1}."))


def prose(words: int) -> str:
    """Paragraphs of about so many words, no two alike."""
    sentences = max(1, words // _SENTENCE_WORDS)
    rows = [range(done, min(done + 5, sentences)) for done in range(0, sentences, 5)]
    return "".join(f"<p>{' '.join(map(sentence, row))}</p>\n" for row in rows)


@dataclass
class Answer:
    body: bytes = b""
    status: str = "200 OK"
    headers: tuple[str, ...] = ("Content-Type: text/html; charset=utf-8",)
    delay: float = 0.0


@dataclass
class Site:
    """Answers by `host/path`, or by path alone for every host."""

    answers: dict[str, Answer] = field(default_factory=dict)
    otherwise: Callable[[str], Answer | None] = lambda path: None
    web: Web | None = None
    busy: int = 0
    peak: int = 0
    """Requests that were answered at the same time, at most."""

    def page(self, key: str, text: str | bytes, **more: object) -> None:
        body = text.encode() if isinstance(text, str) else text
        self.answers[key] = Answer(body, **more)  # type: ignore[arg-type]  # the fields of Answer

    def file(self, key: str, body: bytes = PNG, kind: str = "image/png", **more: object) -> None:
        self.answers[key] = Answer(body, headers=(f"Content-Type: {kind}",), **more)  # type: ignore[arg-type]  # the same

    def redirect(self, key: str, target: str) -> None:
        self.answers[key] = Answer(b"", "302 Found", (f"Location: {target}",))

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.host.partition(":")[0]
        found = self.answers.get(host + request.path) or self.answers.get(request.path) or self.otherwise(request.path)
        if found is None:
            found = Answer(b"no such page", "404 Not Found")
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        if found.delay:
            await asyncio.sleep(found.delay)
        self.busy -= 1
        writer.write(response(found.body, found.status, found.headers))

    def settings(self, **more: object) -> FetchSettings:
        assert self.web is not None
        place = {"*": f"127.0.0.1:{self.web.port}"}
        fast = {"interval_seconds": 0.0, "per_host": 6}
        return FetchSettings(allow_addresses=["127.0.0.0/8"], connect_to=place, **(fast | more))  # type: ignore[arg-type]  # settings

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Site]:
        async with serve(self.answer) as self.web:
            yield self

    async def ingest(
        self, url: str, *, limits: IngestLimits | None = None, kept: list[Fetched] | None = None, **more: object
    ) -> IngestWebResult:
        """Serve, ingest one address, stop."""
        async with self.serving(), PoliteClient(self.settings(**more)) as client:
            ingester = Ingester(Visitor(client), ThreadReader(), limits or IngestLimits(seconds=60))
            return await ingester.ingest(request_for(url), (kept if kept is not None else []).append)

    def run(self, url: str, **more: object) -> IngestWebResult:
        return asyncio.run(self.ingest(url, **more))  # type: ignore[arg-type]  # passed on

    @contextmanager
    def in_thread(self) -> Iterator[Site]:
        """Serve beside the test, for code that has an event loop of its own."""
        loop = asyncio.new_event_loop()
        started, stop = threading.Event(), asyncio.Event()

        async def run() -> None:
            async with self.serving():
                started.set()
                await stop.wait()

        thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
        thread.start()
        assert started.wait(PATIENCE)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join(PATIENCE)
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()

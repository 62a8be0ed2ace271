"""What the queues cost: N stories through four queues on the SQLite broker, beside fetching and parsing the same stories.

    make bench-pipeline            (or: python bench/pipeline.py --stories 10000 --pages 400)

Real pages are read from the evaluation data. Fetching goes over loopback with the guard on; parsing is the parser stage.
Both are measured on `--pages` pages and scaled to `--stories`; the queues carry all of them for real.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tearsheet.engines.broker.port import Lease, Message, Output, Settlement
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.fetch import FetchRequest
from tearsheet.fetch.client import Client
from tearsheet.pipeline.parser import Parser
from tearsheet.settings import FetchSettings
from tearsheet.story import ContentMetadata, RSSEntry, Story, encode_story, make_story_id
from tearsheet.work.outcomes import Outcome

DATA = Path(os.environ.get("TEARSHEET_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
QUEUES = ("fetcher-in", "parser-in", "importer-in", "archiver-in")
BATCH = 50

SERVER = """
import asyncio, sys, pathlib
pages = [p.read_bytes() for p in sorted(pathlib.Path(sys.argv[1]).iterdir())]
async def serve(reader, writer):
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            body = pages[int(head.split(b" ", 2)[1].strip(b"/")) % len(pages)]
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def read_pages(limit: int) -> list[bytes]:
    with tarfile.open(DATA / "fulltext" / "pages.tar.xz") as archive:
        pages: list[bytes] = []
        for member in archive:
            if member.isfile() and len(pages) < limit:
                file = archive.extractfile(member)
                assert file is not None
                pages.append(file.read())
    return pages


def cpu() -> float:
    """CPU seconds of this process and its threads: other programs on the machine do not count."""
    return time.process_time()


def fetch_seconds(pages: list[bytes]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for number, page in enumerate(pages):
            (Path(folder) / f"{number:05}").write_bytes(page)
        server = subprocess.Popen([sys.executable, "-c", SERVER, folder], stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            return asyncio.run(_fetch_all(len(pages), port))
        finally:
            server.kill()
            server.wait()


async def _fetch_all(count: int, port: int) -> float:
    client = Client(FetchSettings(allow_addresses=["127.0.0.1/32"]))
    limit = asyncio.Semaphore(32)

    async def one(number: int) -> None:
        async with limit:
            await client.fetch(FetchRequest(f"http://127.0.0.1:{port}/{number}"))

    await one(0)
    started = cpu()
    await asyncio.gather(*(one(number) for number in range(count)))
    spent = cpu() - started
    await client.close()
    return spent


def parse_seconds(pages: list[bytes]) -> tuple[float, list[Story]]:
    parser = Parser()
    parser.process(_fetched(0, pages[0]))
    parsed = []
    started = cpu()
    for number, page in enumerate(pages):
        story = _fetched(number, page)
        try:
            parsed.append(parser.process(story))
        except Outcome:
            continue
    return cpu() - started, parsed


def _fetched(number: int, page: bytes) -> Story:
    story = Story(
        id=make_story_id("bench", number), rss_entry=RSSEntry(link=f"http://site{number % 97}.example/story/{number}")
    )
    story.raw_html.html = page
    story.http_metadata.response_code = 200
    story.http_metadata.final_url = story.rss_entry.link
    return story


async def queue_seconds(parsed: list[Story], stories: int) -> tuple[float, float, float]:
    """CPU and wall seconds for carrying the stories through all queues, and the mean size of a page on the wire."""
    links = [encode_story(Story(id=story.id, rss_entry=story.rss_entry)) for story in parsed]
    fetched = [
        encode_story(Story(story.id, story.rss_entry, story.raw_html, story.http_metadata, ContentMetadata()))
        for story in parsed
    ]
    done = [encode_story(story) for story in parsed]
    with tempfile.TemporaryDirectory() as folder:
        broker = SqliteBroker(Path(folder) / "queues.db")
        started, wall = cpu(), time.perf_counter()

        async def feed() -> None:
            for first in range(0, stories, BATCH):
                some = range(first, min(first + BATCH, stories))
                await broker.publish([Output(QUEUES[0], Message(links[n % len(links)].meta, key=str(n))) for n in some])

        def outputs(place: int, lease: Lease, number: int) -> tuple[Output, ...]:
            if place + 1 == len(QUEUES):
                return ()
            if place == 0:
                wire = fetched[number % len(fetched)]
                return (Output(QUEUES[1], Message(wire.meta, key=lease.message.key, page=wire.page)),)
            meta = done[number % len(done)].meta
            return (Output(QUEUES[place + 1], Message(meta, key=lease.message.key, page=lease.message.page)),)

        async def stage(place: int) -> None:
            settled = 0
            while settled < stories:
                leases = await broker.lease(QUEUES[place], BATCH, wait=10)
                await broker.settle(
                    [Settlement(lease, outputs(place, lease, settled + n)) for n, lease in enumerate(leases)]
                )
                settled += len(leases)

        await asyncio.gather(feed(), *(stage(place) for place in range(len(QUEUES))))
        spent = cpu() - started, time.perf_counter() - wall
        await broker.close()
    return *spent, sum(len(wire.page) for wire in fetched) / len(fetched)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--stories", type=int, default=10_000)
    options.add_argument("--pages", type=int, default=400)
    chosen = options.parse_args()
    pages = read_pages(chosen.pages)
    scale = chosen.stories / len(pages)
    fetching = fetch_seconds(pages) * scale
    parsing, parsed = parse_seconds(pages)
    parsing *= scale
    queueing, wall, wire_size = asyncio.run(queue_seconds(parsed, chosen.stories))
    share = queueing / (fetching + parsing)
    size = sum(map(len, pages)) / len(pages)
    table = Table(title=f"{chosen.stories:,} stories of {size / 1000:,.0f} kB ({wire_size / 1000:,.0f} kB on the wire)")
    for heading in ("work", "CPU seconds", "a story"):
        table.add_column(heading, justify="left" if heading == "work" else "right")
    for name, seconds in (("fetching", fetching), ("parsing", parsing), ("four queues", queueing)):
        table.add_row(name, f"{seconds:,.1f}", f"{seconds / chosen.stories * 1000:.2f} ms")
    console = Console()
    console.print(table)
    console.print(
        f"the queues cost {share:.1%} of fetching and parsing (the bar: less than 10 %); {wall:,.1f} s by the clock"
    )
    sys.exit(share >= 0.1)


if __name__ == "__main__":
    main()

"""Pages a second from many hosts on loopback: the fetcher with guard, robots.txt and manners, against `requests` with threads.

    python bench/fetch.py [--hosts 250] [--pages 32] [--interval 0.02] [--size 20000] [--threads 32] [--runs 3]

Both fetch the same pages from the same server, which runs in a process of its own, and both keep connections. `requests` does
nothing but fetch; we also ask each host for its robots.txt, which is not counted as a page, and take turns for each host. The
interval is shorter than by default: 250 hosts at one page in two seconds would be 125 pages a second, however fast we are.
Runs alternate; the best of each counts. Exits with 1 when we are not 5 times as fast.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import multiprocessing.connection
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import requests
import urllib3.util.connection
from requests.adapters import HTTPAdapter

from tearsheet.config import FetchSettings
from tearsheet.fetch import Client, Manners
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.pipeline.stage import Requeue
from tearsheet.story import RSSEntry, Story

GOAL = 5.0
IN_FLIGHT = 128
ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class Site(asyncio.Protocol):
    """Answers every request with a page, as fast as Python can."""

    page = robots = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data += data
        *heads, self.data = self.data.split(b"\r\n\r\n")
        for head in heads:
            answer = self.robots if head.startswith(b"GET /robots.txt") else self.page
            self.transport.write(answer)  # type: ignore[attr-defined]  # a stream has it


def run_server(size: int, port_to: multiprocessing.connection.Connection) -> None:
    def answer(kind: bytes, body: bytes) -> bytes:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
        return head % (kind, len(body)) + body

    async def serve() -> None:
        Site.page = answer(b"text/html", b"<p>news</p>".ljust(size, b"x"))
        Site.robots = answer(b"text/plain", ROBOTS)
        server = await asyncio.get_running_loop().create_server(Site, "127.0.0.1", 0, backlog=4096)
        port_to.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def addresses(hosts: int, pages: int) -> list[str]:
    return [f"http://host{host}.example/{page}" for page in range(pages) for host in range(hosts)]


async def fetch_ours(stories: list[Story], port: int, interval: float) -> None:
    settings = FetchSettings(
        allow_addresses=["127.0.0.0/8"], connect_to={"*": f"127.0.0.1:{port}"}, interval_seconds=interval
    )
    client, manners = Client(settings), Manners(settings)
    fetcher = Fetcher(client, manners, settings)
    waiting = iter(stories)

    async def work() -> None:
        for story in waiting:
            while not story.http_metadata.response_code:
                try:
                    await fetcher.process(story)
                except Requeue as busy:
                    await asyncio.sleep(busy.after)
            assert story.raw_html.html
            story.raw_html.html = None

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
    await client.close()
    await manners.close()


def fetch_requests(urls: Iterable[str], port: int, threads: int, hosts: int) -> None:
    connect = urllib3.util.connection.create_connection
    urllib3.util.connection.create_connection = lambda address, *args, **options: connect(
        ("127.0.0.1", port), *args, **options
    )
    session = requests.Session()
    session.mount("http://", HTTPAdapter(pool_connections=hosts, pool_maxsize=threads))

    def fetch(url: str) -> None:
        assert session.get(url, timeout=30).content

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fetch, urls))
    session.close()
    urllib3.util.connection.create_connection = connect


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=250)
    parser.add_argument("--pages", type=int, default=32, help="pages of each host")
    parser.add_argument("--size", type=int, default=20_000, help="bytes of a page")
    parser.add_argument("--threads", type=int, default=32, help="threads of requests")
    parser.add_argument("--interval", type=float, default=0.02, help="seconds between two pages of a host")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()

    port_from, port_to = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=run_server, args=(options.size, port_to), daemon=True)
    server.start()
    port = port_from.recv()
    urls = addresses(options.hosts, options.pages)
    best: dict[str, tuple[float, ...]] = {}

    def measure(name: str, run: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        rates = len(urls) / (time.perf_counter() - wall), len(urls) / (time.process_time() - cpu)
        print(f"{name:10} {rates[0]:8.0f} pages/s   {rates[1]:8.0f} pages/s of CPU time", flush=True)
        best[name] = tuple(map(max, best.get(name, rates), rates))

    print(f"{options.hosts} hosts, {options.pages} pages of {options.size} bytes each, 1 process", flush=True)
    for _ in range(options.runs):
        stories = [Story(rss_entry=RSSEntry(link=url)) for url in urls]
        measure("requests", partial(fetch_requests, urls, port, options.threads, options.hosts))
        measure("tearsheet", partial(asyncio.run, fetch_ours(stories, port, options.interval)))
    server.kill()
    ratio, of_cpu = (ours / theirs for ours, theirs in zip(best["tearsheet"], best["requests"], strict=True))
    print(
        f"tearsheet is {ratio:.1f} times as fast as requests with {options.threads} threads (goal: {GOAL:.0f}), "
        f"and makes {of_cpu:.1f} times as many pages of the same CPU time"
    )
    return 0 if ratio >= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Pages a second from many hosts on loopback: the fetcher with guard, robots.txt and manners, against `requests` with threads.

    python -m bench.fetch [--hosts 250] [--pages 32] [--interval 0.02] [--size 20000] [--threads 1 4 16] [--rounds 5]

Both fetch the same pages from the same server, which runs in a process of its own, and both keep connections. `requests` does
nothing but fetch, as well as it can: each thread has a session and hosts of its own, and the best number of threads counts. We
also ask each host for its robots.txt, which is not counted as a page, and take turns for each host. The interval is shorter than
by default: 250 hosts at one page in two seconds would be 125 pages a second, however fast we are. In each round all run one after
the other, so that they find the machine in the same mood; the median of the rounds counts. Exits with 1 when we are not 5 times as
fast.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median

import requests
import urllib3.util.connection
from requests.adapters import HTTPAdapter

from bench.loopback import Answers, Server, response, serving
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import FetchSettings
from tearsheet.story import RSSEntry, Story
from tearsheet.work.outcomes import Requeue

GOAL = 5.0
IN_FLIGHT = 128
ROBOTS = b"User-agent: *\nDisallow: /private/\n"


def answers(size: int) -> Answers:
    page = response("text/html; charset=utf-8", b"<p>news</p>".ljust(size, b"x"))
    robots = response("text/plain", ROBOTS)
    return lambda path: robots if path == b"/robots.txt" else page


def addresses(hosts: int, pages: int) -> list[str]:
    return [f"http://host{host}.example/{page}" for page in range(pages) for host in range(hosts)]


async def fetch_ours(urls: list[str], port: int, interval: float) -> None:
    settings = FetchSettings(
        allow_addresses=["127.0.0.0/8"],
        connect_to={"*": f"127.0.0.1:{port}"},
        interval_seconds=interval,
        concurrency=IN_FLIGHT,
    )
    client = PoliteClient(settings)
    fetcher = Fetcher(client)
    waiting = iter(urls)

    async def work() -> None:
        for url in waiting:
            story = Story(rss_entry=RSSEntry(link=url))
            while not story.http_metadata.response_code:
                try:
                    await fetcher.process(story)
                except Requeue as busy:
                    await asyncio.sleep(busy.after)
            assert story.raw_html.html

    await asyncio.gather(*(work() for _ in range(IN_FLIGHT)))
    await client.close()


def fetch_requests(urls: list[str], port: int, threads: int, hosts: int) -> None:
    connect = urllib3.util.connection.create_connection
    urllib3.util.connection.create_connection = lambda address, *args, **options: connect(
        ("127.0.0.1", port), *args, **options
    )

    def fetch(first: int) -> int:
        """The pages of every host whose number is `first` more than a multiple of the threads."""
        session = requests.Session()
        session.mount("http://", HTTPAdapter(pool_connections=hosts))
        own = [url for start in range(first, hosts, threads) for url in urls[start::hosts]]
        for url in own:
            assert session.get(url, timeout=30).content
        session.close()
        return len(own)

    with ThreadPoolExecutor(threads) as pool:
        assert sum(pool.map(fetch, range(threads))) == len(urls)
    urllib3.util.connection.create_connection = connect


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=250)
    parser.add_argument("--pages", type=int, default=32, help="pages of each host")
    parser.add_argument("--size", type=int, default=20_000, help="bytes of a page")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4, 16], help="threads of requests")
    parser.add_argument("--interval", type=float, default=0.02, help="seconds between two pages of a host")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    urls = addresses(options.hosts, options.pages)
    print(f"{options.hosts} hosts, {options.pages} pages of {options.size} bytes each, 1 process", flush=True)
    gc.freeze()  # as `tearsheet run` does, and to the good of both
    ratios = []
    with serving(answers(options.size)) as server:
        few = addresses(20, 1)  # for all that is loaded at the first use
        fetch_requests(few, server.port, 1, 20)
        asyncio.run(fetch_ours(few, server.port, options.interval))
        for _ in range(options.rounds):
            theirs = [
                measure(f"requests, {threads} threads", partial(fetch_requests, urls, server.port, threads, options.hosts),
                        len(urls), server)
                for threads in options.threads
            ]  # fmt: skip
            fetch = partial(asyncio.run, fetch_ours(urls, server.port, options.interval))
            ours = measure("tearsheet", fetch, len(urls), server)
            ratios.append(tuple(mine / max(other) for mine, other in zip(ours, zip(*theirs, strict=True), strict=True)))
    ratio, of_cpu = (median(column) for column in zip(*ratios, strict=True))
    print("rounds: " + ", ".join(f"{wall:.1f} ({cpu:.1f} by CPU time)" for wall, cpu in ratios))
    print(
        f"tearsheet is {ratio:.1f} times as fast as requests with its best number of threads (goal: {GOAL:.0f}), "
        f"and makes {of_cpu:.1f} times as many pages of the same CPU time"
    )
    return 0 if ratio >= GOAL else 1


def measure(name: str, run: Callable[[], object], pages: int, server: Server) -> tuple[float, float]:
    """Pages a second, by the clock and by CPU time."""
    wall, cpu, served = time.perf_counter(), time.process_time(), server.cpu_seconds()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    served = 1000 * (server.cpu_seconds() - served) / pages
    print(
        f"{name:20} {pages / wall:8.0f} pages/s {pages / cpu:8.0f} pages/s of CPU time; the server needed {served:.3f} ms a page",
        flush=True,
    )
    return pages / wall, pages / cpu


if __name__ == "__main__":
    raise SystemExit(main())

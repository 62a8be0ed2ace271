"""What a queue costs: publish, forward and acknowledge stories with pages of 200 kB, on SQLite and on RabbitMQ side by side.

    make bench-broker              (or: python bench/broker.py --messages 2000)

A message is a story in wire form: its page and its metadata in zstd frames, as the pipeline sends them. *Forward* is what
a stage does: lease, settle with a copy for the next queue; the page is handed on unchanged, the metadata is new.
*Acknowledge* is the last stage: lease, settle. Every call is durable when it returns. RabbitMQ is the test server of
`make engines-up`; without it the table has one row.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import socket
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from tearsheet.engines.broker.opener import open_broker
from tearsheet.engines.broker.port import Broker, Lease, Message, Output, Settlement
from tearsheet.story import RawHTML, RSSEntry, Story, encode_story, make_story_id

PAGE_BYTES = 200_000
BATCH = 50
DISTINCT = 50
URLS = Path(__file__).parents[1] / "engines" / "urls.sh"


def make_messages(count: int, seed: int = 4) -> list[Message]:
    """Stories whose pages are words of news and markup, which compress about as well as real ones."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("etaoinshrdlucmfw", k=chance.randint(2, 11))) for _ in range(6_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    messages = []
    for number in range(min(count, DISTINCT)):
        text = " ".join(
            f'<p class="story-{n % 7}">{" ".join(chance.choices(words, weights, k=30))}</p>'
            for n in range(PAGE_BYTES // 150)
        )
        link = f"https://news{number % 20}.example/{number}"
        story = Story(
            id=make_story_id("bench", number), rss_entry=RSSEntry(link), raw_html=RawHTML(text.encode()[:PAGE_BYTES])
        )
        wire = encode_story(story)
        messages.append(Message(wire.meta, {"from": "bench"}, f"news{number % 20}.example", wire.page))
    return [messages[number % len(messages)] for number in range(count)]


async def publish(broker: Broker, queue: str, messages: list[Message]) -> None:
    for start in range(0, len(messages), BATCH):
        await broker.publish([Output(queue, message) for message in messages[start : start + BATCH]])


async def work_off(
    broker: Broker, queue: str, count: int, settle: Callable[[Lease], Settlement], workers: int = 2
) -> None:
    """Lease and settle until `count` messages are through, with a few workers at once as a stage has."""
    left = count

    async def work() -> None:
        nonlocal left
        while left > 0:
            leases = await broker.lease(queue, BATCH, wait=1)
            left -= len(leases)
            await broker.settle([settle(lease) for lease in leases])

    await asyncio.gather(*(work() for _ in range(workers)))


def forward(lease: Lease) -> Settlement:
    """The next stage's copy: new metadata, the same page."""
    message = lease.message
    return Settlement(lease, (Output("b", Message(bytes(message.body), message.headers, message.key, message.page)),))


async def timed(step: Awaitable[None]) -> float:
    begin = time.perf_counter()
    await step
    return time.perf_counter() - begin


async def measure(url: str, data: Path, messages: list[Message]) -> dict[str, float]:
    broker = open_broker(url, data)
    count = len(messages)
    try:
        seconds = {"publish": await timed(publish(broker, "a", messages))}
        seconds["forward"] = await timed(work_off(broker, "a", count, forward))
        seconds["acknowledge"] = await timed(work_off(broker, "b", count, Settlement))
        return {step: count / taken for step, taken in seconds.items()}
    finally:
        if url.startswith("amqp"):
            for queue in ("a", "b"):
                await broker.delete(queue)
        await broker.close()


def rabbitmq_url() -> str | None:
    """The test server, when it is up."""
    found = re.search(r"TEARSHEET_TEST_RABBITMQ:=(.*?)\}", URLS.read_text("utf-8"))
    url = os.environ.get("TEARSHEET_TEST_RABBITMQ") or (found[1] if found else "")
    place = urlsplit(url)
    try:
        socket.create_connection((place.hostname or "", place.port or 0), timeout=2).close()
    except OSError:
        return None
    return url


def main() -> None:
    parser = argparse.ArgumentParser(description="Throughput of the brokers.")
    parser.add_argument("--messages", type=int, default=2_000)
    messages = make_messages(parser.parse_args().messages)
    wire = sum(len(message.body) + len(message.page) for message in messages) / len(messages)
    table = Table(title=f"{len(messages)} messages, pages of {PAGE_BYTES // 1000} kB, {wire / 1000:.0f} kB compressed")
    for column in ("broker", "publish", "forward", "acknowledge", "forward, MB of pages"):
        table.add_column(column, justify="left" if column == "broker" else "right")
    rabbitmq = rabbitmq_url()
    with tempfile.TemporaryDirectory() as folder:
        engines = {"SQLite": f"{uuid.uuid4().hex}.db"} | ({"RabbitMQ": rabbitmq} if rabbitmq else {})
        for name, url in engines.items():
            rates = asyncio.run(measure(url, Path(folder), messages))
            figures = [f"{rates[step]:,.0f}/s" for step in ("publish", "forward", "acknowledge")]
            table.add_row(name, *figures, f"{rates['forward'] * PAGE_BYTES / 1e6:,.0f}/s")
    Console().print(table)
    if rabbitmq is None:
        Console(stderr=True).print("RabbitMQ is not running: `make engines-up ENGINES=rabbitmq` starts it")


if __name__ == "__main__":
    main()

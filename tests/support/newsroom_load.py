"""`python -m tests.support.newsroom_load PORT REQUESTS`: ask a newsroom server as fast as it answers, print requests a second."""

from __future__ import annotations

import asyncio
import re
import sys
import time

from tearsheet.demo import Newsroom

CONNECTIONS = 16
_LENGTH = re.compile(rb"Content-Length: (\d+)")


async def client(port: int, heads: list[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for head in heads:
        writer.write(head)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(answer)
        assert answer.startswith(b"HTTP/1.1 200") and length
        await reader.readexactly(int(length[1]))
    writer.close()
    await writer.wait_closed()


async def load(port: int, requests: int) -> float:
    articles = [article for article in Newsroom().articles if not article.listed]
    heads = [f"GET {article.path} HTTP/1.1\r\nHost: {article.host}\r\n\r\n".encode() for article in articles]
    await client(port, heads)  # so that every page is in memory
    share = (heads * (requests // len(heads) + 1))[: requests // CONNECTIONS]
    started = time.perf_counter()
    await asyncio.gather(*(client(port, share) for _ in range(CONNECTIONS)))
    return len(share) * CONNECTIONS / (time.perf_counter() - started)


if __name__ == "__main__":
    print(round(asyncio.run(load(int(sys.argv[1]), int(sys.argv[2])))))

"""`python -m tearsheet.demo [SEED [SITES [ARTICLES]]]` serves a newsroom to browse until it is interrupted."""

from __future__ import annotations

import asyncio
import sys

from tearsheet.demo.newsroom import Newsroom
from tearsheet.demo.server import NewsroomServer


async def _serve(numbers: list[int]) -> None:
    async with NewsroomServer(Newsroom(*numbers[:3]), *numbers[3:4]) as server:
        sys.stdout.write(f"{server.address}/\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    try:
        asyncio.run(_serve([int(argument) for argument in sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(0)

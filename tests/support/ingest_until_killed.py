"""Run by a test: FOLDER PORT URL MOMENT. Ingests one document and is killed `before` or `after` it reaches the event log."""

import asyncio
import os
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.ingest import request_for
from tearsheet.ingest.fetching import Visitor
from tearsheet.settings import FetchSettings, Settings
from tearsheet.work import ThreadReader

folder, port, url, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
fetch = FetchSettings(
    allow_addresses=["127.0.0.0/8"], connect_to={"*": f"127.0.0.1:{port}"}, obey_robots=False, interval_seconds=0.0
)


async def ingest(services: Services) -> None:
    async with AsyncExitStack() as stack:
        visitor = Visitor(services.open_polite(stack))
        await services.ingest.service(visitor, ThreadReader()).handle([request_for(url)])


with Services(Settings(folder, fetch=fetch)) as services:
    publish = services.events.publish

    def publish_and_die(topic, entries):
        if moment == "after":
            publish(topic, entries)
        os.kill(os.getpid(), signal.SIGKILL)

    services.events.publish = publish_and_die  # type: ignore[method-assign]  # the moment of death is the test
    asyncio.run(ingest(services))

"""One process that runs the topic, to be killed. Its arguments: FOLDER PORT DATABASE BROKER [join]."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tearsheet.engines.broker.opener import open_broker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics.model import Topic
from tearsheet.topics.store import find_topic
from tests.support.topic_runs import run


def main() -> None:
    folder, port, database_url, broker_url, *words = sys.argv[1:]
    database = open_database(database_url, Path(folder))
    index = open_index("index", Path(folder))
    print("ready", flush=True)

    async def go() -> Topic:
        broker = open_broker(broker_url, Path(folder))
        try:
            topic = find_topic(database, "Zanzibar")
            return await run(
                database, index, broker, int(port), topic, archive=Path(folder) / "archive", join="join" in words
            )
        finally:
            await broker.close()

    done = asyncio.run(go())
    print(done.state, done.message, flush=True)
    index.close()
    database.close()


if __name__ == "__main__":
    main()

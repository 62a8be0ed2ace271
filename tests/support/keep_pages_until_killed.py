"""Started by a test: FOLDER MOMENT…. For each moment, a new process archives the pages of the topic `T`, and is killed there.

A moment is `register:before`, the TIMEth time when written as `write:before:TIME`, or `none`. The processes are forks, so that
everything is imported once. One line is printed for each: `killed` or `done`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from tearsheet.archive import writer as writer_module
from tearsheet.archive.store import ArchiveStore
from tearsheet.engines.database import open_database
from tearsheet.topics.spider import keeping
from tearsheet.topics.store import find_topic
from tests.support.spidered_pages import keeping_tools

PLACES: dict[str, tuple[Any, str]] = {
    "write": (writer_module.StoryArchiveWriter, "write"),
    "close": (writer_module.StoryArchiveWriter, "close"),
    "name": (writer_module, "finish"),
    "register": (ArchiveStore, "register"),
    "note": (keeping, "note_archived"),
}


def _kill_at(moment: str) -> None:
    place, when, *times = moment.split(":")
    owner, name = PLACES[place]
    real, left = getattr(owner, name), int(times[0]) if times else 1

    def replaced(*given: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if not left and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*given, **named)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, replaced)


def _archive(folder: Path) -> None:
    database = open_database("t.db", folder)
    topic = find_topic(database, "T")
    tools = keeping_tools(database, folder / "archive", max_stories=5)
    while keeping.archive_pages(tools, topic.id, everything=True):
        pass
    database.close()


def main() -> None:
    folder = Path(sys.argv[1])
    for moment in sys.argv[2:]:
        child = os.fork()
        if not child:
            if moment != "none":
                _kill_at(moment)
            _archive(folder)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print("killed" if os.WIFSIGNALED(status) else "done" if not status else "failed", flush=True)


if __name__ == "__main__":
    main()

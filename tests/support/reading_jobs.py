"""Reading jobs that exceed each of their limits, and one that keeps to them all."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from tearsheet.work import Quarantine, ReadingJob


@dataclass(slots=True, frozen=True)
class Task:
    what: str
    body: bytes = b""
    size: int = 0


@dataclass(slots=True, frozen=True)
class Told:
    text: str
    at: datetime = datetime(2026, 11, 15, 12, 0, 0, 123456, UTC)


def obey(task: Task) -> list[Told]:
    """Does what it is told."""
    match task.what:
        case "echo":
            return [Told(task.body.decode("utf-8")), Told("again")]
        case "hang":
            time.sleep(600)
        case "fill":
            return [Told(str(len(bytearray(task.size))))]
        case "talk":
            return [Told("x" * task.size)]
        case "crash":
            os._exit(9)
        case "fail":
            raise ValueError("a half \ud800 pair")
        case "refuse":
            raise Quarantine("html?", "not what was asked for")
    return []


def tell_pid(_: None) -> int:
    """The number of the process that reads."""
    return os.getpid()


OBEY = ReadingJob(obey, seconds=60.0, max_answer=10_000)
TELL_PID = ReadingJob(tell_pid, seconds=60.0)
HURRY = ReadingJob(obey, seconds=0.3)

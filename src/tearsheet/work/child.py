"""A worker process for heavy work: reads tasks from its standard input, one at a time, and answers on standard output.

Started by `pool`. It ends when its input ends, and with its parent. A frame is a length and bytes, whose meaning only the work done
here knows. For a CPU stage they are a story in MessagePack. The first frame that it sends says what confines it.
"""

from __future__ import annotations

import importlib
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from tearsheet.story import WireStory, decode_story
from tearsheet.work.confine import Limits, confine, limit_memory, start_timer
from tearsheet.work.ledger_entry import LedgerEntry, entry_for
from tearsheet.work.outcomes import CpuStage, Drop, Outcome, Quarantine, Requeue, Retry
from tearsheet.work.packing import Packed, pack_results

HEAD = struct.Struct("!I")
Answering = Callable[[bytes], bytes]
"""Does the work of a process: a task in, its answer out."""
OUT_OF_MEMORY = 71
"""How a process exits that was refused memory. What the libraries in it hold then is uncertain, so it does not go on."""


@dataclass(slots=True, frozen=True)
class Charge:
    """What a process is given to begin with: what each task may use, and after how much processor time it ends itself."""

    limits: Limits
    seconds: float


@dataclass(slots=True)
class Answer:
    """What a child reports about one story: results, or an outcome by class name and arguments, and a ledger entry for it."""

    results: list[Packed] = field(default_factory=list)
    outcome: str = ""
    reason: str = ""
    detail: str = ""
    after: float | None = None
    keep: bool = False
    entry: LedgerEntry | None = None

    def as_exception(self) -> Outcome | None:
        """The outcome that the stage raised, or None when it returned results."""
        if self.outcome == "Drop":
            return Drop(self.reason, self.detail)
        if self.outcome == "Quarantine":
            return Quarantine(self.reason, self.detail)
        if self.outcome == "Requeue":
            return Requeue(self.reason, self.after or 0.0)
        if self.outcome == "Retry":
            return Retry(self.reason, self.detail, self.after, keep=self.keep)
        assert not self.outcome, f"no stage of a process may raise {self.outcome}"
        return None


def answer(stage: CpuStage, stage_name: str, wire: WireStory) -> Answer:
    """Run the stage on one story."""
    story = decode_story(wire)
    before = story.raw_html.html
    try:
        results = stage.process(story)
    except MemoryError:
        raise  # ends the process
    except Outcome as outcome:
        reply = Answer(outcome=type(outcome).__name__, reason=outcome.reason, detail=outcome.detail)
        reply.after = getattr(outcome, "after", None)
        reply.keep = getattr(outcome, "keep", False)
    except Exception as error:
        reply = Answer(outcome="Retry", reason="error", detail=f"{type(error).__name__}: {error}"[:500], keep=True)
    else:
        reply = Answer(results=pack_results(results, before))
    reply.entry = entry_for(story, stage_name)
    return reply


def load_named(path: str) -> Callable[..., Any]:
    """The class or function at `package.module:Name`."""
    module, _, name = path.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return loaded


def stage_answering(path: str, stage_name: str) -> Answering:
    """What a CPU stage's process does: run the stage at `package.module:Name` on stories."""
    stage: CpuStage = load_named(path)()
    decode = msgspec.msgpack.Decoder(WireStory).decode
    encode: Callable[[Any], bytes] = msgspec.msgpack.Encoder().encode
    return lambda frame: encode(answer(stage, stage_name, decode(frame)))


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame, or None at the end."""
    head = stream.read(HEAD.size)
    return stream.read(*HEAD.unpack(head)) if len(head) == HEAD.size else None


def _serve(answering: Answering, requests: BinaryIO, answers: BinaryIO, seconds: float) -> None:
    while (frame := read_frame(requests)) is not None:
        start_timer(seconds)
        try:
            data = answering(frame)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        start_timer(0)
        _write_frame(answers, data)


def _write_frame(answers: BinaryIO, data: bytes) -> None:
    answers.write(HEAD.pack(len(data)))
    answers.write(data)
    answers.flush()


def main() -> None:
    """Run `python -m tearsheet.work.child CHARGE NAME ARGUMENT…`; NAME, called with the arguments, builds an `Answering`."""
    charge = msgspec.json.decode(sys.argv[1], type=Charge)
    # Anything a library prints must not end up between our frames: while we start it is an error message, later it is noise.
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(2, 1)
    limit_memory(charge.limits)
    answering = load_named(sys.argv[2])(*sys.argv[3:])
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    confinement = confine()
    try:
        _write_frame(answers, msgspec.msgpack.encode(confinement))
        _serve(answering, sys.stdin.buffer, answers, charge.seconds)
    except (BrokenPipeError, KeyboardInterrupt):
        return


if __name__ == "__main__":
    main()

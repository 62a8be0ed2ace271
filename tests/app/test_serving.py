"""Pages that are served beside other work end with it, at whatever moment that is interrupted."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tearsheet.app.serving import served_beside

RAN: list[str] = []


async def pages(stop: asyncio.Event) -> None:
    RAN.append("began")
    await stop.wait()
    RAN.append("ended")


class Interrupted(threading.Thread):
    """Ctrl-C comes while it is started."""

    def start(self) -> None:
        super().start()
        raise KeyboardInterrupt


class InterruptedAtOnce(threading.Thread):
    """Ctrl-C comes before it runs."""

    def start(self) -> None:
        raise KeyboardInterrupt


@pytest.mark.parametrize(("thread", "ran"), [(Interrupted, ["began", "ended"]), (InterruptedAtOnce, [])])
def test_an_interruption_while_the_pages_begin_ends_them(thread, ran, monkeypatch):
    RAN.clear()
    monkeypatch.setattr("tearsheet.app.serving.threading.Thread", thread)
    with pytest.raises(KeyboardInterrupt), served_beside(pages):
        raise AssertionError("nothing is done beside pages that did not begin")
    assert ran == RAN


def test_pages_are_served_for_the_duration_of_a_block():
    RAN.clear()
    with served_beside(pages):
        pass
    assert RAN == ["began", "ended"]

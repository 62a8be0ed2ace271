"""Nobody is told anything unless somebody listens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tearsheet import telemetry


class Listener:
    def __init__(self) -> None:
        self.heard: list[tuple[object, ...]] = []

    def report(self, error: BaseException) -> None:
        self.heard.append(("error", error))

    def work(self, name: str, attributes: dict[str, str], begun: float, seconds: float, failed: bool) -> None:
        assert begun >= 0 and seconds >= 0
        self.heard.append((name, dict(attributes), failed))

    def figure(self, name: str, attributes: dict[str, str], value: float) -> None:
        self.heard.append((name, attributes, value))

    def close(self) -> None:
        self.heard.append(("closed",))
        raise OSError("its server is away")


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()
    telemetry.watch_with(listener)
    yield listener
    telemetry.watch_with()


def tell_everything() -> None:
    with telemetry.timed("stage", stage="parser") as attributes:
        attributes["outcome"] = "done"
    telemetry.tell_work("request", 1.0, 2.0, failed=True, route="/")
    telemetry.tell_figure("depth", 3, queue="parser-in")
    telemetry.report(ValueError("x"))


def test_whoever_listens_hears_of_work_figures_and_errors(listener):
    tell_everything()
    assert telemetry.is_watched()
    assert [entry[:3] for entry in listener.heard[:3]] == [
        ("stage", {"stage": "parser", "outcome": "done"}, False),
        ("request", {"route": "/"}, True),
        ("depth", {"queue": "parser-in"}, 3),
    ]
    assert isinstance(listener.heard[3][1], ValueError)


def test_work_that_raises_has_failed(listener):
    with pytest.raises(ValueError), telemetry.timed("poll"):
        raise ValueError
    assert listener.heard == [("poll", {}, True)]


def test_after_the_end_nobody_is_told_and_no_error_remains(listener):
    telemetry.close()
    tell_everything()
    assert listener.heard == [("closed",)]
    assert not telemetry.is_watched()

"""How far work has got: how much is done, how fast it goes, and when it will end where that can be told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from tearsheet.cli.now_and_then import said_now_and_then

T = TypeVar("T")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def pace(
    done: float, total: float | None, seconds: float, what: str, shown: Callable[[float], str] = "{:,.0f}".format
) -> str:
    """One line about work that has taken `seconds` so far; `total` is None where nobody knows how much there is."""
    rate = done / seconds if seconds > 0 else 0.0
    if not total or done > total:
        return f"{shown(done)} {what}, {_rate(rate, shown)} a second"
    left = f", {duration((total - done) / rate)} left" if rate and done else ""
    return f"{shown(done)} of {shown(total)} {what} ({100 * done // total:.0f} %), {_rate(rate, shown)} a second{left}"


def _rate(rate: float, shown: Callable[[float], str]) -> str:
    return f"{rate:.1f}" if 0 < rate < 10 and shown(1) == "1" else shown(rate)


def megabytes(count: float) -> str:
    """A number of bytes in millions."""
    return f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """A time as people say it: `45 s`, `3 min`, `2 h 10 min`, `4 d`."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"
    return f"{seconds / _DAY:.0f} d"


class Tell(Protocol):
    """Is told how much is done, as often as you like, and says it now and then."""

    def __call__(self, done: float, of: float | None = None) -> None:
        """`of` is how much there is, if that is known only now."""
        ...


def measured(what: str, total: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> Tell:
    """What tells how far some work has got that begins now."""
    say, started = said_now_and_then(clock), clock()

    def tell(done: float, of: float | None = None) -> None:
        say(pace(done, of or total, clock() - started, what))

    return tell


def counted(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, while it is said now and then how many there were."""
    tell = measured(what, total)
    for number, item in enumerate(items, 1):
        yield item
        tell(number)

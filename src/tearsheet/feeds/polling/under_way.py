"""How far polling has got, for whoever waits for it."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.counts import how_many


@dataclass(slots=True, frozen=True)
class UnderWay:
    """The polls of a poller that are not over yet, and what it is busy with."""

    polled: int
    """How many feeds it is done with since it began."""
    taken: int
    """Those, and the feeds whose turn has come or comes next."""
    slowest: str = ""
    """The address of the feed whose poll takes longest, without a login; empty when no feed is being polled."""
    seconds: float = 0.0
    """How long that poll has taken by now."""
    longest: float = 0.0
    """How long one document of a feed may take, fetched and read. Some feeds have several."""

    def __str__(self) -> str:
        """For people, the address last because a narrow terminal cuts it; empty when every poll is over."""
        if self.polled == self.taken:
            return ""
        counted = f"{self.polled:,} of {how_many(self.taken, 'feed')} polled"
        if not self.slowest:
            return counted
        limit = f" of at most {self.longest:.0f} s" if self.seconds < self.longest else ""
        return f"{counted}; {self.seconds:.0f} s{limit} at {self.slowest}"

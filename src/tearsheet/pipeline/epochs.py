"""Which of several versions of a download is the right one.

The old system ran out of 32-bit row ids and went back to an older backup for a while, so that a range of `downloads_id` was
given out twice. The blob store has a version from each epoch under the same key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tearsheet.engines.blobs import BlobInfo

FIRST_DOUBTFUL, LAST_DOUBTFUL = 3_211_617_605, 3_257_240_456
"""The ids that were given out twice."""


@dataclass(slots=True, frozen=True)
class Epoch:
    """A span of days, both included, in which the doubtful ids were given out."""

    name: str
    first: datetime
    last: datetime

    def holds(self, moment: datetime, slack: timedelta = timedelta()) -> bool:
        """Whether a moment is in it, or up to `slack` after it."""
        return self.first <= moment < self.last + timedelta(days=1) + slack


EPOCHS = (
    Epoch("B", datetime(2021, 9, 15, tzinfo=UTC), datetime(2021, 11, 11, tzinfo=UTC)),
    Epoch("D", datetime(2021, 12, 26, tzinfo=UTC), datetime(2022, 1, 25, tzinfo=UTC)),
)

_STORED_WITHIN = timedelta(days=7)
"""A page was put into the blob store some time after it was collected; the epochs are much further apart."""


class NoSuchEpoch(ValueError):
    """No version belongs to the time when the page was collected."""


def is_doubtful(download: int) -> bool:
    """Whether two pages may have this id."""
    return FIRST_DOUBTFUL <= download <= LAST_DOUBTFUL


def pick_version(versions: Sequence[BlobInfo], collected: datetime | None) -> BlobInfo:
    """The version of the epoch in which the page was collected; `versions` are newest first.

    When it is not known when the page was collected, nothing can contradict any version: the newest is as good as another.
    Raises NoSuchEpoch.
    """
    if collected is None:
        return versions[0]
    epoch = next((epoch for epoch in EPOCHS if epoch.holds(collected)), None)
    if epoch is None:
        raise NoSuchEpoch(f"collected on {collected:%Y-%m-%d}, when its id was not in use")
    for version in versions:
        if epoch.holds(version.modified, _STORED_WITHIN):
            return version
    days = ", ".join(f"{version.modified:%Y-%m-%d}" for version in versions)
    raise NoSuchEpoch(f"collected on {collected:%Y-%m-%d}, and the versions are of {days}")

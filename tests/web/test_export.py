"""A file that is made as a whole is made only while somebody waits for it."""

from __future__ import annotations

from itertools import count, islice

import pytest

from tearsheet.errors import TooSlow
from tearsheet.web.export import in_time
from tests.support.index_stories import story


def test_stories_come_while_somebody_waits():
    ticks = count()
    stories = (story(str(number)) for number in count())
    coming = in_time(stories, 5, clock=lambda: float(next(ticks)))
    assert len(list(islice(coming, 5))) == 5
    with pytest.raises(TooSlow, match=r"longer than 5 s \(web.request_seconds\): ask for less, or for JSON lines"):
        next(coming)

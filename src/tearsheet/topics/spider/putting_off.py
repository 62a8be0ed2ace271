"""What is put off: a slow site delays itself, and nothing else. The rest of the topic goes on without the page.

What was put off is tried again when everything else is done, if it is due by then, and otherwise by the next run.
"""

from __future__ import annotations

from tearsheet.topics import model
from tearsheet.work import Paused, Requeue

_CAN_BE_PUT_OFF = frozenset({model.FETCH_LINK, model.MINE_STORY})


def is_put_off(job: str, outcome: Exception, delay: float, wait_seconds: float) -> bool:
    """Whether the rest of the topic goes on without an item that is tried again after `delay` seconds.

    An item that only waits for its turn is not put off: the pace is our own, and its turn will come.
    """
    at_our_pace = isinstance(outcome, Requeue) and not isinstance(outcome, Paused)
    return job in _CAN_BE_PUT_OFF and delay > wait_seconds and not at_our_pace

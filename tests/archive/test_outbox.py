"""How long a copy that failed waits."""

from datetime import timedelta

from tearsheet.archive.outbox import LONGEST_PAUSE, pause_after


def test_pauses_grow_and_end_at_four_hours():
    pauses = [pause_after(attempts) for attempts in range(1, 40)]
    assert pauses[0] == timedelta(seconds=30)
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE

import random

import pytest

from tearsheet.topics.draw import drawn
from tearsheet.topics.rehearsal.precision import Precision, precision_of, sample_of

STORIES = [f"story {number}" for number in range(300)]
ORDER = drawn("Flood", STORIES, len(STORIES), str)


def test_each_rehearsal_goes_on_where_the_last_one_ended():
    assert sample_of("Flood", STORIES, {}, 3) == ([], ORDER[:3])
    judged = dict.fromkeys(ORDER[:3], True)
    assert sample_of("Flood", STORIES, judged, 2) == (ORDER[:3], ORDER[3:5])
    assert sample_of("Flood", STORIES, dict.fromkeys(STORIES, False), 2) == (ORDER, [])


def test_what_was_judged_out_of_turn_counts_once_its_turn_has_come():
    """As when the seeds were judged first, and the stories that links led to are not yet."""
    judged = dict.fromkeys([*ORDER[:2], *ORDER[3:6]], True)
    sample, following = sample_of("Flood", STORIES, judged, 2)
    assert (sample, following) == (ORDER[:2], [ORDER[2], ORDER[6]])
    assert sample_of("Flood", STORIES, judged | {ORDER[2]: None}, 0)[0] == ORDER[:6]


def test_stories_that_left_the_topic_no_longer_count():
    judged: dict[str, bool | None] = {**dict.fromkeys(ORDER[:5], True), ORDER[0]: False}
    sample, _ = sample_of("Flood", ORDER[1:], judged, 0)
    assert precision_of(sample, judged, 299) == Precision(4, 0, 0, 299)


def test_the_share_is_told_with_its_interval():
    verdicts = [True] * 18 + [False] * 2 + [None]
    judged: dict[str, bool | None] = dict(zip(ORDER, verdicts, strict=False))
    done = precision_of(sample_of("Flood", STORIES, judged, 0)[0], judged, 300)
    assert (done.right, done.wrong, done.undecided, done.judged) == (18, 2, 1, 20)
    assert done.share == 0.9
    assert done.interval == pytest.approx((0.699, 0.972), abs=5e-4)
    assert Precision(0, 0, 0, 300).share is None


def test_what_was_judged_whole_is_known():
    assert Precision(2, 1, 0, 3).interval == (2 / 3, 2 / 3)


def test_the_interval_holds_the_true_share_of_many_topics():
    held = 0
    for number in range(300):
        rng = random.Random(number)
        truth = {story: rng.random() < 0.8 for story in STORIES}
        _, following = sample_of(str(number), STORIES, {}, 20)
        judged: dict[str, bool | None] = {story: truth[story] for story in following}
        low, high = precision_of(sample_of(str(number), STORIES, judged, 0)[0], judged, 300).interval
        held += low <= sum(truth.values()) / 300 <= high
    assert held >= 275

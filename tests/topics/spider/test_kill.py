"""A run that is killed again and again ends with the same snapshot, byte for byte, as one that was not."""

from __future__ import annotations

import pytest

from tests.support.topic_kills import spider_with_kills


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kills", "pages"), [pytest.param(4, 60, marks=pytest.mark.proof), pytest.param(20, 300, marks=pytest.mark.slow)]
)
def test_kills_change_nothing(tmp_path, kills, pages):
    make = {"sites": 8, "pages": pages, "seed": kills}
    calm = spider_with_kills(tmp_path / "calm", make, kills=0)
    assert spider_with_kills(tmp_path / "killed", make, kills=kills) == calm


@pytest.mark.parametrize(
    ("runs", "kills", "pages"),
    [pytest.param(3, 1, 60, marks=pytest.mark.proof), pytest.param(20, 20, 300, marks=pytest.mark.slow)],
)
@pytest.mark.timeout(3600)
def test_a_size_budget_cuts_at_the_same_place_with_any_number_of_workers_and_kills(tmp_path, runs, kills, pages):
    make = {"sites": 8, "pages": pages, "seed": 2}
    max_stories = pages // 4
    calm = spider_with_kills(tmp_path / "calm", make, kills=0, max_stories=max_stories)
    for number in range(runs):
        folder = tmp_path / str(number)
        assert spider_with_kills(folder, make, kills=kills, workers=4, max_stories=max_stories) == calm

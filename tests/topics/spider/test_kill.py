"""A run that is killed again and again ends with the same snapshot, byte for byte, as one that was not."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.engines.database import Database, open_database
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.store import find_topic
from tearsheet.topics.tables import topic_merged_stories_map
from tests.support.topic_kills import DATABASE, spider_with_kills


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
    spider_with_kills(tmp_path / "whole", make, kills=0)
    stories, links = links_within(tmp_path / "calm", tmp_path / "whole")
    assert len(stories) > max_stories // 2
    assert links_within(tmp_path / "whole", tmp_path / "calm") == (stories, links)
    assert len(links) > max_stories // 5
    for number in range(runs):
        folder = tmp_path / str(number)
        assert spider_with_kills(folder, make, kills=kills, workers=4, max_stories=max_stories) == calm
        print(f"run {number + 1} of {runs}: the same {len(stories)} stories and {len(links)} links")


def links_within(folder: Path, other: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """The stories of a folder's topic that another folder's has too, and the links among them.

    Stories that were merged in one of the two alone, as their twins were over budget in the other, have other links by right.
    """
    both = [open_database(DATABASE, path) for path in (folder, other)]
    found, others = (load_snapshot(database, find_topic(database, "Zanzibar")) for database in both)
    merged, merged_elsewhere = map(merges_in, both)
    in_one_alone = {story for pair in merged ^ merged_elsewhere for story in pair}
    stories = ({story.id for story in found.stories} & {story.id for story in others.stories}) - in_one_alone
    ids = [story.id for story in found.stories]
    for database in both:
        database.close()
    return stories, {(ids[a], ids[b]) for a, b in found.links if ids[a] in stories and ids[b] in stories}


def merges_in(database: Database) -> set[tuple[str, str]]:
    table = topic_merged_stories_map
    with database.read() as connection:
        rows = connection.execute(select(table.c.source_stories_id, table.c.target_stories_id))
        return {(gone, kept) for gone, kept in rows if gone != kept}

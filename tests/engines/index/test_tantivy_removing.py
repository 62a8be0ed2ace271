"""Removed stories: nothing of them stays in the folder, also when the removal is killed half-way."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.query import parse_query
from tests.support.index_stories import story
from tests.support.leftovers import places_of
from tests.support.paths import ROOT

REMOVE_AND_DIE = """
import os, sys
from pathlib import Path
from tearsheet.engines.index.tantivy import TantivyIndex
from tests.support.index_stories import story
index = TantivyIndex(Path(sys.argv[1]))
setattr(index, sys.argv[2], lambda *_: os._exit(9)) if hasattr(index, sys.argv[2]) else setattr(
    index._store, sys.argv[2], lambda *_: os._exit(9))
index.remove([story("secret").id])
index.scrub()
"""


def filled(folder):
    index = TantivyIndex(folder)
    index.add([story(f"{n}", f"title {n}", f"word{n} common text") for n in range(200)])
    index.add([story("secret", "Zyxwvutitle", "common qwertyuiopword text")])
    index.refresh()
    return index


def test_no_file_holds_a_word_of_a_removed_story(tmp_path):
    index = filled(tmp_path)
    assert places_of(tmp_path, "qwertyuiopword") and places_of(tmp_path, "zyxwvutitle")
    assert index.remove([story("secret").id]) == 1
    index.scrub()
    assert index.count(parse_query("common")) == 200
    assert places_of(tmp_path, "qwertyuiopword") + places_of(tmp_path, "zyxwvutitle") == []
    index.close()
    assert places_of(tmp_path, "qwertyuiopword") + places_of(tmp_path, "zyxwvutitle") == []


@pytest.mark.parametrize("step", ["_refill", "_commit", "scrub"])
def test_a_killed_removal_is_finished_by_the_next(tmp_path, step):
    filled(tmp_path).close()
    died = subprocess.run([sys.executable, "-c", REMOVE_AND_DIE, tmp_path, step], cwd=ROOT)
    assert died.returncode == 9
    index = TantivyIndex(tmp_path)
    # Somebody adds stories before the removal is repeated: they take no removed story's place.
    index.add([story("later", "title", "word0 common text")])
    index.refresh()
    assert index.count(parse_query("qwertyuiopword")) == 0
    assert index.count(parse_query("word0")) == 2
    assert index.remove([story("secret").id]) == 0
    index.scrub()
    assert index.count(parse_query("common")) == 201
    index.close()
    assert places_of(tmp_path, "qwertyuiopword") + places_of(tmp_path, "zyxwvutitle") == []

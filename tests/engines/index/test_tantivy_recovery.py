"""A story that was stored and not committed when its process died becomes visible without another story coming."""

from __future__ import annotations

import os
import subprocess
import sys

from tearsheet.engines.index.port import IndexedStory
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.query import parse_query

ADD_AND_DIE = """
import os, sys
from pathlib import Path
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.engines.index import IndexedStory
index = TantivyIndex(Path(sys.argv[1]), commit_seconds=3600)
print(index.add([IndexedStory("1", "s", "http://a.example/1", "a.example", 1, "title", "text")])[0].status, flush=True)
os._exit(9)
"""


def test_refreshing_brings_in_what_a_killed_writer_stored(tmp_path):
    died = subprocess.run([sys.executable, "-c", ADD_AND_DIE, tmp_path], capture_output=True, text=True, env=os.environ)
    assert (died.stdout, died.returncode) == ("created\n", 9)
    index = TantivyIndex(tmp_path)
    assert index.count(parse_query("*")) == 0
    index.refresh()
    assert index.count(parse_query("*")) == 1
    index.close()


def test_a_reader_leaves_catching_up_to_the_writer_that_lives(tmp_path):
    writer, reader = TantivyIndex(tmp_path, commit_seconds=3600), TantivyIndex(tmp_path)
    writer.add([IndexedStory("1", "s", "http://a.example/1", "a.example", 1, "title", "text")])
    reader.refresh()
    assert reader.count(parse_query("*")) == 0
    writer.refresh()
    reader.refresh()
    assert reader.count(parse_query("*")) == 1
    reader.close()
    writer.close()

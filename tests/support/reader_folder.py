"""A folder as a reader of the how-to pages has it: a collection, here the demo's, and the files that the pages speak of."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tearsheet.archive import StoryArchiveWriter
from tests.support.archive_stories import plain_story
from tests.support.tearsheet_command import in_process

DATA = "tearsheet-data"
STORY = "http://harbour-herald.example/2026/06/04/swing-bridge-at-corvane-ada-barlow-demands-answers-after-75-days"


def lay_out(folder: Path, demo: Path) -> None:
    """Make it from the data folder of a demo."""
    for name in (DATA, f"{DATA}.newer"):
        shutil.copytree(demo, folder / name, ignore=shutil.ignore_patterns("*.lock"))
    opml = '<opml><body><outline type="rss" xmlUrl="https://x.example/feed"/></body></opml>'
    (folder / "subscriptions.opml").write_text(opml)
    (folder / "sources.csv").write_text("id,name,homepage,media_type\n1,paper.example,https://paper.example,digital\n")
    (folder / "addresses.txt").write_text(STORY)
    (folder / "list.txt").write_text(STORY)
    (folder / "requests.jsonl").write_text(json.dumps({"ingest_type": "html", "base_url": STORY}) + "\n")
    for name, text in {"token.txt": "t0ken", "cookie.txt": "session=1", "headers.txt": "X-Api-Key: 1"}.items():
        (folder / name).write_text(text)
    papers = ("harbour-herald.example", "lighthouse-ledger.example")
    in_process("collections", "add", "Local press", *papers, data=folder / DATA)
    with StoryArchiveWriter(folder / "theirs") as writer:
        writer.write(plain_story(1))
    shutil.copy(writer.close().path, folder / "their.warc.gz")

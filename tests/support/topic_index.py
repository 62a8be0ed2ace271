"""An index with stories about floods, rivers, dams and insurance, for topics to be planned and rehearsed on."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.index.opener import open_index
from tearsheet.engines.index.port import IndexedStory
from tearsheet.urls import url_hash

STORIES = {
    "http://a.example/1": ("2026-06-10", "A flood of the river.\nThe town was warned."),
    "http://a.example/2": ("2026-06-11", "A flood, and the dam held."),
    "http://b.example/1": ("2026-07-01", "The flood came by the river and over the dam."),
    "http://b.example/2": ("2026-07-02", "After the flood of the river: what the insurance pays."),
    "http://b.example/3": ("2026-07-03", "A flood of letters to the editor."),
    "http://c.example/1": ("2026-07-04", "The dam is painted."),
    "http://c.example/2": ("2025-07-04", "A flood of the river, a year ago."),
}


def fill_index(data: Path) -> None:
    """Make a data folder with these stories in its index."""
    data.mkdir()
    index = open_index("index", data)
    index.add(
        [
            IndexedStory(url_hash(url), url, url, url[7:16], number, f"Story {number}", text, "en", day)
            for number, (url, (day, text)) in enumerate(STORIES.items())
        ]
    )
    index.close()

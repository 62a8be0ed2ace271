"""Exports in the data folder lose what names an erased story, and nothing else."""

from __future__ import annotations

import json

from tearsheet.topics.snapshot.export_erasing import NOTE, erase_from_exports

URL = "https://paper.example/a?b=1&c=é"


def test_pages_and_tables_of_a_topic_and_files_with_the_address_go(tmp_path):
    of_topic = ["flood/index.html", "flood/overall/stories.parquet", "flood/overall/stories.csv"]
    of_topic += ["flood/overall/story_links.csv", "flood/overall/pages.parquet", "flood/overall/stories.gexf"]
    with_address = ["other/index.html", "other/overall/stories.jsonl", "loose.html"]
    stay = ["flood/summary.json", "flood/overall/media.csv", "other/overall/stories.csv", "other/summary.json"]
    contents = {"other/index.html": "paper.example/a?b=1&amp;c=é", "loose.html": URL}
    contents["other/index.html"] = f'<a href="https://{contents["other/index.html"]}">'
    contents |= {"other/overall/stories.jsonl": json.dumps({"url": URL})}
    contents |= {f"{topic}/summary.json": json.dumps({"topic": topic}) for topic in ("flood", "other")}
    for name in (*of_topic, *with_address, *stay):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(contents.get(name, "figures"), "utf-8")
    expected = sorted(tmp_path / name for name in (*of_topic, *with_address))
    assert sorted(erase_from_exports(tmp_path, {"flood"}, [URL], dry_run=True)) == expected
    assert sorted(erase_from_exports(tmp_path, {"flood"}, [URL])) == expected
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    notes = {f"{folder}{NOTE}" for folder in ("", "flood/", "flood/overall/", "other/", "other/overall/")}
    assert left == {*stay, *notes}
    assert erase_from_exports(tmp_path, {"flood"}, [URL]) == []


def test_where_nothing_was_exported_there_is_nothing_to_do(tmp_path):
    assert erase_from_exports(tmp_path / "topics", {"flood"}, [URL]) == []

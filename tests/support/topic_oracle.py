"""Every count of a snapshot's export, worked out a second time by plain counting from what the simulated web knows of itself.

Nothing here uses the code of topics: what is compared are the files that a user gets.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.support.simulated_web import END, START, Truth

Span = tuple[str, date | None, date | None]


def spans() -> list[Span]:
    """The timespans that there must be: name, first and last day."""
    found: list[Span] = [("overall", None, None)]
    day = START
    weeks, months = set(), set()
    while day <= END:
        monday = day - timedelta(days=day.weekday())
        weeks.add((monday, monday + timedelta(days=6)))
        first = date(day.year, day.month, 1)
        after = date(day.year + day.month // 12, day.month % 12 + 1, 1)
        months.add((first, after - timedelta(days=1)))
        day += timedelta(days=1)
    found += [(f"weekly-{a}-{b}", a, b) for a, b in sorted(weeks)]
    return found + [(f"monthly-{a}-{b}", a, b) for a, b in sorted(months)]


def plain(url: str) -> str:
    """Some stories are only ever linked to with `www.`."""
    return url.replace("://www.", "://")


def check_export(truth: Truth, folder: Path) -> None:
    """Compare every timespan's tables with the truth."""
    assert [span["timespan"] for span in json.loads((folder / "summary.json").read_text())["timespans"]] == [
        name for name, _, _ in spans()
    ]
    for name, first, last in spans():
        _check_timespan(truth, folder / name, first, last)


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _check_timespan(truth: Truth, folder: Path, first: date | None, last: date | None) -> None:
    def inside(url: str) -> bool:
        return first is None or last is None or first <= truth.days[url] <= last

    media = {url: source for url, (_, source) in truth.stories.items()}
    links = [(a, b) for a, b in truth.links if media[a] != media[b] and inside(a)]
    members = {url for url in truth.stories if inside(url)} | {b for _, b in links}
    rows = _rows(folder / "stories.csv")
    address = {row["stories_id"]: plain(row["url"]) for row in rows}
    found = {
        plain(row["url"]): (
            row["media"], row["publish_date"], int(row["iteration"]), int(row["media_inlink_count"]), int(row["inlink_count"]),
            int(row["outlink_count"]), _count(row["facebook_share_count"]),
        )
        for row in rows
    }  # fmt: skip
    assert len(rows) == len(found)
    linking = {url: [a for a, b in links if b == url] for url in {b for _, b in links}}
    linked = {url: [b for a, b in links if a == url] for url in {a for a, _ in links}}
    expected = {
        url: (
            media[url], str(truth.days[url]), truth.stories[url][0], len({media[a] for a in linking.get(url, ())}),
            len(linking.get(url, ())), len(linked.get(url, ())), truth.shares[url],
        )
        for url in members
    }  # fmt: skip
    assert found == expected
    story_links = _rows(folder / "story_links.csv")
    assert sorted((address[row["source_stories_id"]], address[row["ref_stories_id"]]) for row in story_links) == sorted(
        links
    )
    _check_media(folder, expected, media, links)


def _check_media(folder: Path, stories: dict[str, Any], media: dict[str, str], links: list[tuple[str, str]]) -> None:
    between = [(media[a], media[b]) for a, b in links]
    medium_links = {
        (row["source_media"], row["ref_media"]): int(row["link_count"]) for row in _rows(folder / "medium_links.csv")
    }
    assert medium_links == {pair: between.count(pair) for pair in set(between)}
    found = {
        row["media"]: (
            int(row["story_count"]), int(row["media_inlink_count"]), int(row["sum_media_inlink_count"]), int(row["inlink_count"]),
            int(row["outlink_count"]), _count(row["facebook_share_count"]),
        )
        for row in _rows(folder / "media.csv")
    }  # fmt: skip
    expected = {}
    for source in {row[0] for row in stories.values()}:
        own = [row for row in stories.values() if row[0] == source]
        expected[source] = (
            len(own), len({a for a, b in between if b == source}), sum(row[3] for row in own), sum(row[4] for row in own),
            sum(row[5] for row in own), _sum(row[6] for row in own),
        )  # fmt: skip
    assert found == expected


def _count(text: str) -> int | None:
    return int(text) if text else None


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None

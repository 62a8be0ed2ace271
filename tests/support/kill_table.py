"""The table of `make kills`: how many processes the tests have killed, in the middle of which work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

KILLS = "kills"
"""The property of a test that says how many it has killed, by part."""


def table_of(reports: Iterable[Any], *, failed: bool) -> Iterator[str]:
    """The lines of the table; none when no test has counted its kills."""
    kills: Counter[str] = Counter()
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == KILLS and report.when == "teardown":
                kills.update(value)
    if not kills:
        return
    width = max(map(len, (*kills, "in all")))
    yield f"{'killed while at work':{width}}  kills"
    for part, count in sorted(kills.items()):
        yield f"{part:{width}}  {count:5,}"
    verdict = "something was lost or came twice: see above" if failed else "nothing lost, nothing twice"
    yield f"{'in all':{width}}  {kills.total():5,}  {verdict}"

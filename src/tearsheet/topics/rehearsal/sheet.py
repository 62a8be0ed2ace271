"""A sheet of matches to be judged in a spreadsheet, and what it says when it comes back."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tearsheet.errors import UsageError
from tearsheet.tables import csv_table

SHEET_COLUMNS = ("judgement", "title", "sentence", "url", "source", "publish_date", "stories_id")
_SAID: dict[str, bool | None] = {
    **dict.fromkeys(("y", "yes", "1", "true"), True),
    **dict.fromkeys(("n", "no", "0", "false"), False),
    **dict.fromkeys(("", "s", "skip"), None),
}


def read_sheet(file: Path, matches: Collection[str]) -> dict[str, bool | None]:
    """What a sheet says of the matches in it. Raises UsageError, which names the line, and then nothing of it counts."""
    found: dict[str, bool | None] = {}
    last = 1
    for line, row in csv_table(file, ("judgement", "stories_id")):
        said, story, last = row["judgement"].strip().lower(), row["stories_id"].strip(), line
        if said not in _SAID:
            raise UsageError(
                f"{file}: line {line}: the judgement is {said[:40]!r}: write y, n, or s if you cannot tell"
            )
        if story not in matches:
            raise UsageError(f"{file}: line {line}: {story[:80]!r} is not the id of a story that matches this topic")
        found[story] = _SAID[said]
    if all(belongs is None for belongs in found.values()):
        raise UsageError(f"{file}: line {last}: no row has a judgement yet: write y or n into that column")
    return found

"""What parts of a topic say: the words, or names, that tell two foci or periods apart, from the stored texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tearsheet.app.services import Services
from tearsheet.errors import NotFoundError
from tearsheet.topics import Topic, texts_of
from tearsheet.topics.snapshot import Part, Row, add_text, compared, load_snapshot, parts_of


@dataclass(slots=True, frozen=True)
class Comparison:
    """Two parts of a topic, compared."""

    first: Part
    other: Part
    in_both: int
    """Stories that belong to both parts, and count in neither."""
    rows: list[Row]


def compare_words(
    services: Services,
    topic: Topic,
    name: str,
    against: str,
    *,
    language: str,
    names: bool,
    snapshot: int | None,
    limit: int,
    report: Callable[[str], None],
) -> Comparison:
    """Compare a focus or period with another, or with all other stories if `against` is empty.

    Raises NotFoundError for a part that is not there, has no stories of its own, or no words.
    """
    frozen = load_snapshot(services.database, topic, snapshot)
    first, other, in_both = parts_of(frozen, name, against, language)
    titles = {story.id: story.title for story in frozen.stories}
    read, total = 0, len(first.stories) + len(other.stories)
    for part in (first, other):
        for text in texts_of(services.database, part.stories):
            add_text(part, titles[text.id], text.said, names=names)
            read += 1
            report(f"{read:,} of {total:,} texts read")
        if not part.words:
            what = "names that capitals would tell" if names else "words"
            raise NotFoundError(f"the stories of {part.name!r} have no {what}")
    return Comparison(first, other, in_both, compared(first, other, limit))

"""Foci of topics, defined at any time: what a definition means for the stories that are frozen already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.errors import UsageError
from tearsheet.topics import Focus, Labels, Topic, add_foci, read_labels
from tearsheet.topics.snapshot import Frozen, in_foci, list_snapshots, load_snapshot


@dataclass(slots=True, frozen=True)
class FocusSize:
    """A focus, and how many stories of the newest snapshot it has; None if there is no snapshot."""

    name: str
    definition: str
    stories: int | None
    of: int | None
    """Stories of that snapshot."""


def define_foci(services: Services, topic: Topic, foci: Mapping[str, Focus], reason: str) -> list[FocusSize]:
    """Give a topic more foci, and say how many stories each would have."""
    add_foci(services.database, topic, foci, reason)
    return sizes_of(services, topic, foci)


def sizes_of(services: Services, topic: Topic, foci: Mapping[str, Focus]) -> list[FocusSize]:
    """How many stories these foci have among those of the newest snapshot, which is as it was."""
    frozen = newest(services, topic)
    found = in_foci(services.database, frozen, foci) if frozen is not None else None
    return [
        FocusSize(
            name,
            focus.describe(),
            sum(name in story.foci for story in found.stories) if found else None,
            len(found.stories) if found else None,
        )
        for name, focus in sorted(foci.items())
    ]


def newest(services: Services, topic: Topic) -> Frozen | None:
    """The newest snapshot, if there is one."""
    return load_snapshot(services.database, topic) if list_snapshots(services.database, topic.id) else None


def labels_in(file: Path) -> Labels:
    """The labels of a file. Raises UsageError, which names the file and the line."""
    try:
        return read_labels(file.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def without_stories(services: Services, topic: Topic, sources: Sequence[str]) -> list[str]:
    """Those of these sources that have no story in the newest snapshot; none while there is no snapshot."""
    frozen = newest(services, topic)
    known = {story.media for story in frozen.stories} if frozen else set(sources)
    return [source for source in sources if source not in known]

"""A topic of many sources in communities, a few of them linked to by many, some by none: the shape of real ones."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date

from tearsheet.topics.snapshot.frozen import Frozen, FrozenStory
from tearsheet.topics.snapshot.timespans import Counting, Figures, Timespan

_WORDS = "daily news herald times post tribune star echo sun globe gazette courier standard observer mirror press wire".split()


def many_sources(count: int, seed: int = 1) -> Figures:
    """The figures of such a topic, with one story of each source."""
    rng = random.Random(seed)
    community = [min(int(rng.paretovariate(0.8)), 10) for _ in range(count)]
    members: defaultdict[int, list[int]] = defaultdict(list)
    for source, number in enumerate(community):
        members[number].append(source)
    popular = {number: some[:10] for number, some in members.items()}
    anywhere = list(range(min(20, count)))
    links: set[tuple[int, int]] = set()
    for source in range(count):
        wanted = 0 if rng.random() < 0.3 else min(40, int(rng.paretovariate(1.0)))
        for _ in range(wanted):
            near = popular[community[source]] if rng.random() < 0.65 else members[community[source]]
            target = rng.choice(near if rng.random() < 0.85 else anywhere)
            if target != source:
                links.add((source, target))
                popular[community[target]].append(target)
                anywhere.append(target)
    stories = tuple(
        _story(number, f"{rng.choice(_WORDS)}{rng.choice(_WORDS)}{number}.example") for number in range(count)
    )
    frozen = Frozen("Many", "q", None, None, (), (), stories, tuple(sorted(links)))
    return Counting(frozen).figures(Timespan("overall", None, None))


def _story(number: int, media: str) -> FrozenStory:
    return FrozenStory(
        id=f"{number:064}", url=f"http://{media}/{number}", media=media, title=f"Story {number}", title_method="page",
        day=date(2024, 1, 1), date_method="meta", language="en", iteration=0, why="matched in title",
    )  # fmt: skip

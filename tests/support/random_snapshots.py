"""Frozen topics of every shape, drawn by a number: the same number gives the same one."""

from __future__ import annotations

import random
from datetime import date, timedelta

from tearsheet.topics.snapshot.frozen import Frozen, FrozenPage, FrozenPost, FrozenStory

_FIRST = date(2024, 1, 29)
_DAYS = 20
_NAMES = ("left", "the right & the rest", "Süd")


def random_snapshot(number: int) -> Frozen:
    """Stories of few sources or many, dated or not, linked or not, in foci or none, with posts or without."""
    rng = random.Random(number)
    count, sources = rng.randint(0, 40), rng.randint(1, 12)
    foci = _NAMES[: rng.randint(0, 2)]
    stories = tuple(_story(rng, n, f"s{rng.randrange(sources)}.example", foci) for n in range(count))
    wanted = rng.randint(0, 4 * count)
    links = {(rng.randrange(count), rng.randrange(count)) for _ in range(wanted)} if count else set()
    return Frozen(
        topic=f"Topic <{number}>",
        query="q",
        start=None,
        end=None,
        timespans=((_FIRST + timedelta(days=2), _FIRST + timedelta(days=9)),) if rng.random() < 0.5 else (),
        foci=tuple((name, "q") for name in foci),
        stories=stories,
        links=tuple(sorted((a, b) for a, b in links if a != b)),
        posts=_posts(rng, count) if rng.random() < 0.5 and count else (),
        pages=_pages(rng, stories),
    )


def _story(rng: random.Random, number: int, media: str, foci: tuple[str, ...]) -> FrozenStory:
    return FrozenStory(
        id=f"{number:064}", url=f"http://{media}/{number}?a=1&b", media=media, title=f"Story \x01\u202e<{number}> & “more”",
        title_method="page", day=_FIRST + timedelta(days=rng.randrange(_DAYS)) if rng.random() < 0.9 else None,
        date_method="meta", language=rng.choice(["en", "de", ""]), iteration=rng.randrange(3), why="matched in title",
        foci=tuple(name for name in foci if rng.random() < 0.5),
        facebook_shares=rng.choice([None, 0, 7]),
    )  # fmt: skip


def _posts(rng: random.Random, stories: int) -> tuple[FrozenPost, ...]:
    found = {}
    for post in range(rng.randint(1, 40)):
        author, channel = f"author {rng.randrange(6)}", f"#channel{rng.randrange(4)}"
        day = _FIRST + timedelta(days=rng.randrange(_DAYS))
        for story in {rng.randrange(stories) for _ in range(rng.randint(1, 3))}:
            found[story, f"{post:03}"] = FrozenPost(story, f"{post:03}", author, channel, day)
    return tuple(post for _, post in sorted(found.items()))


def _pages(rng: random.Random, stories: tuple[FrozenStory, ...]) -> tuple[FrozenPage, ...]:
    found = []
    for number in range(rng.randint(0, 15)):
        linking = sorted({rng.randrange(len(stories)) for _ in range(rng.randint(2, 8))}) if stories else []
        if len({stories[n].media for n in linking}) > 1:
            found.append(
                FrozenPage(f"p{number:02}", f"http://report{number}.example/", "report.example", tuple(linking))
            )
    return tuple(found)

"""Topics with the engines of a data folder: seeding one, running it to its end, drawing it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from tearsheet.app.disk import require_space
from tearsheet.app.newsroom import require_newsroom
from tearsheet.app.running import Interrupted, Run, run_until_stopped
from tearsheet.app.services import Services
from tearsheet.app.topic_evidence import captures_in_topic, make_searchable, topic_archiver
from tearsheet.errors import NotFoundError, TearsheetError, UsageError
from tearsheet.files import check_output, output_folder
from tearsheet.pipeline import Fetcher
from tearsheet.query import parse_query
from tearsheet.topics import COMMUNITIES, COMPLETED, FAILED, LEAST_SHARED, Progress, Seed, Topic, store, texts_by_id
from tearsheet.topics.snapshot import (
    LARGE,
    Counting,
    Figures,
    Frozen,
    colored_foci,
    known_formats,
    list_snapshots,
    load_snapshot,
    save_snapshot,
    timespans_of,
    write_export,
    write_map,
)
from tearsheet.topics.spider import (
    Tools,
    add_posts,
    count_seeds,
    index_seeds,
    is_about,
    read_posts,
    run_topic,
)

Report = Callable[[Topic, Progress], None]
EXPORTED = ("csv", "gexf", "graphml", "jsonl")
"""The formats that are exported when none is named."""


@dataclass(slots=True, frozen=True)
class SeededPosts:
    """What a file of posts added to a topic."""

    read: int
    about: int
    """Posts that are about the topic."""
    added: int
    """Those of them that were not known before."""
    seeds: int


def seed_from_index(services: Services, topic: Topic) -> list[Seed]:
    """The stories of the index that match the topic, as seeds."""
    return list(index_seeds(services.database, services.index, topic))


def seed_from_posts(services: Services, topic: Topic, file: Path) -> SeededPosts:
    """Seed a topic with the addresses in the posts that are about it."""
    query = parse_query(topic.query)
    read = list(read_posts(file))
    about = [post for post in read if is_about(post, query, topic.start, topic.end)]
    added, seeds = add_posts(services.database, topic.id, about)
    return SeededPosts(len(read), len(about), added, seeds)


def run_topic_to_its_end(
    services: Services, topic: Topic, report: Report, *, join: bool = False
) -> tuple[Topic, Progress]:
    """Run a topic until it is complete, and say how it ended. Raises TearsheetError when it failed, Interrupted when stopped.

    It is not begun on a disk that is nearly full (StorageError), or on a demo whose newsroom is not served (EngineError).
    """

    async def go(run: Run) -> Topic:
        async with AsyncExitStack() as stack:
            broker = services.open_broker()
            stack.push_async_callback(broker.close)
            tools = spider_tools(services, stack)
            concurrency = services.settings.fetch.concurrency
            return await run_topic(
                tools, broker, services.ledger, topic, concurrency=concurrency, join=join, report=report, stop=run.stop
            )

    if not count_seeds(services.database, topic.id):
        raise NotFoundError(
            f"the topic {topic.name!r} has no seeds: `tearsheet topic seed {quote(topic.name)} --index` gives it some"
        )
    require_space(services)
    require_newsroom(services)
    done = run_until_stopped(go)
    if done.state == FAILED:
        raise TearsheetError(f"the topic {topic.name!r} failed: {done.message}")
    if done.state != COMPLETED:
        raise Interrupted
    return done, store.progress_of(services.database, done)


def spider_tools(services: Services, stack: AsyncExitStack) -> Tools:
    """What the spider's jobs work with; what they open is closed with `stack`."""
    client = services.open_polite(stack)
    return Tools(
        services.database,
        services.index,
        Fetcher(client, everywhere=True),  # which sites a topic leaves out is its own setting
        client,
        services.open_reader(stack),
        services.settings.topics,
        lambda key: _archived_page(services, key),
        archiver=topic_archiver(services),
        pages_in_file=services.settings.archive.max_stories,
        make_searchable=lambda topic: make_searchable(services, topic),
    )


def _archived_page(services: Services, stories_id: str) -> tuple[bytes, str | None] | None:
    """A story's page and its encoding, if the archive has it."""
    [capture] = captures_in_topic(services, [stories_id])
    if capture is None:
        return None
    try:
        story = services.captures.read(capture).story
    except TearsheetError:
        return None
    html = story.raw_html.html
    return (html, story.http_metadata.encoding) if html is not None else None


def take_snapshot(services: Services, topic: Topic, note: str, stories_of: int | None = None) -> tuple[int, str]:
    """Freeze a topic as it is now, or the stories of a snapshot with the foci of now; returns the number and digest."""
    cap = services.settings.topics.max_self_linked
    number = save_snapshot(services.database, topic, note=note, max_self_linked=cap, stories_of=stories_of)
    digest = next(row.digest for row in list_snapshots(services.database, topic.id) if row.id == number)
    return number, digest


def overall_figures(services: Services, topic: Topic) -> Figures:
    """The figures of the whole newest snapshot. Raises NotFoundError, and UsageError where that would take long."""
    frozen = load_snapshot(services.database, topic)
    if len(frozen.stories) + len(frozen.links) >= LARGE:
        raise UsageError(
            f"this topic is too large to be counted while you wait: `tearsheet topic export {topic.name!r} FOLDER` does it"
        )
    return Counting(frozen).figures(timespans_of(frozen)[0])


def export_topic(
    services: Services,
    topic: Topic,
    folder: Path,
    formats: Sequence[str] | None,
    snapshot: int | None,
    least_shared: int = LEAST_SHARED,
    color_by: str = COMMUNITIES,
    *,
    text: bool = False,
) -> list[Path]:
    """Write a snapshot's tables and networks; the newest snapshot when none is named. With `text`, the stories have theirs.

    The folder is made once it is clear that there is something to put there.
    """
    chosen = known_formats(formats or EXPORTED)
    if least_shared < 1:
        raise UsageError("--least-shared: give 1 or more; with 1, a single page in common joins two sources")
    frozen = _with_stories(load_snapshot(services.database, topic, snapshot))
    colored_foci(frozen, color_by)
    output_folder(folder)
    texts = partial(texts_by_id, services.database) if text else None
    return write_export(frozen, folder, chosen, os.cpu_count() or 1, least_shared, color_by, texts)


def draw_topic(
    services: Services, topic: Topic, file: Path, timespan: str, snapshot: int | None, color_by: str = COMMUNITIES
) -> None:
    """Draw who links to whom; the newest snapshot when none is named. Raises NotFoundError."""
    check_output(file)
    frozen = _with_stories(load_snapshot(services.database, topic, snapshot))
    write_map(frozen, file, timespan, os.cpu_count() or 1, color_by)


def _with_stories(frozen: Frozen) -> Frozen:
    """Raises NotFoundError for a snapshot without stories: an empty map would look like a result."""
    if not frozen.stories:
        raise NotFoundError(
            f"the topic {frozen.topic!r} has no stories: none of its seeds matched its query; "
            f"`tearsheet topic status {quote(frozen.topic)}` says more"
        )
    return frozen

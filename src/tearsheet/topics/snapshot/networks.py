"""The networks of a timespan: sources and stories by their links, and those who share what others share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tearsheet.topics.model import UNDATEABLE
from tearsheet.topics.snapshot.export import MediaMap, radius
from tearsheet.topics.snapshot.network import communities
from tearsheet.topics.snapshot.network_xml import Network, Node
from tearsheet.topics.snapshot.palette import color_of
from tearsheet.topics.snapshot.sharing import Pair, Sharing
from tearsheet.topics.snapshot.timespans import Figures

_MEDIUM_ATTRIBUTES = (
    ("story_count", "integer"), ("media_inlink_count", "integer"), ("inlink_count", "integer"), ("outlink_count", "integer"),
    ("facebook_share_count", "integer"), ("post_count", "integer"), ("author_count", "integer"), ("channel_count", "integer"),
    ("pagerank", "double"), ("community", "integer"), ("foci", "string"),
)  # fmt: skip
_STORY_ATTRIBUTES = (
    ("url", "string"), ("media", "string"), ("publish_date", "string"), ("language", "string"), ("iteration", "integer"),
    ("foci", "string"), ("media_inlink_count", "integer"), ("inlink_count", "integer"), ("outlink_count", "integer"),
    ("facebook_share_count", "integer"), ("post_count", "integer"), ("author_count", "integer"), ("channel_count", "integer"),
    ("pagerank", "double"), ("community", "integer"),
)  # fmt: skip
_SHARER_ATTRIBUTES = (("joined_count", "integer"), ("shared_count", "integer"), ("community", "integer"))


def networks_of(
    topic: str, figures: Figures, chart: MediaMap, sharing: Sharing, *, posts: bool
) -> Iterator[tuple[str, Network]]:
    """The networks of a timespan by the names of their files; with those of the posts, or without."""
    name = figures.timespan.name
    yield "media", media_network(chart, f"{topic}: who links to whom, {name}")
    yield "stories", story_network(figures, f"{topic}: stories and their links, {name}")
    title = f"{topic}: sources that link to the same pages, {name}"
    yield "media_sharing", sharing_network(sharing.media_pairs, title)
    if posts:
        title = f"{topic}: authors whose posts name the same stories, {name}"
        yield "authors_sharing", sharing_network(sharing.author_pairs, title)
        title = f"{topic}: channels whose posts name the same stories, {name}"
        yield "channels_sharing", sharing_network(sharing.channel_pairs, title)


def media_network(chart: MediaMap, title: str) -> Network:
    """The sources that a map shows, where it shows them, and their links."""
    nodes = [
        Node(
            row.media,
            row.media,
            [*(getattr(row, name) for name, _ in _MEDIUM_ATTRIBUTES[:-1]), ";".join(row.foci)],
            color_of(group),
            chart.size(row),
            (float(x) * 1000, float(y) * 1000),
        )
        for row, group, (x, y) in zip(chart.media, chart.groups, chart.positions, strict=True)
    ]
    return Network(title, True, _MEDIUM_ATTRIBUTES, nodes, chart.edges)


def story_network(figures: Figures, title: str) -> Network:
    """All stories of a timespan and their links. They have no places: there may be too many to lay out."""
    largest = max([1, *(row.media_inlink_count for row in figures.stories)])
    nodes = [
        Node(
            row.story.id,
            row.story.title,
            (
                row.story.url, row.story.media, row.story.day.isoformat() if row.story.day else UNDATEABLE, row.story.language,
                row.story.iteration, ";".join(row.story.foci), row.media_inlink_count, row.inlink_count, row.outlink_count,
                row.facebook_share_count, *row.posts, row.pagerank, row.community,
            ),
            color_of(row.community),
            round(radius(row.media_inlink_count, largest), 2),
        )
        for row in figures.stories
    ]  # fmt: skip
    numbers = {node.id: number for number, node in enumerate(nodes)}
    return Network(
        title, True, _STORY_ATTRIBUTES, nodes, [(numbers[a], numbers[b], 1.0) for a, b, _ in figures.story_links]
    )


def sharing_network(pairs: Sequence[Pair], title: str) -> Network:
    """Those who share something with another, joined by how much: with how many each is joined, and the sum over them."""
    joined: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for first, second, count in pairs:
        joined.update((first, second))
        shared.update({first: count, second: count})
    names = sorted(joined)
    numbers = {name: number for number, name in enumerate(names)}
    edges = [(numbers[first], numbers[second], float(count)) for first, second, count in pairs]
    groups = communities(len(names), edges)
    largest = max(shared.values(), default=1)
    nodes = [
        Node(name, name, (joined[name], shared[name], group), color_of(group), round(radius(shared[name], largest), 2))
        for name, group in zip(names, groups, strict=True)
    ]
    return Network(title, False, _SHARER_ATTRIBUTES, nodes, edges)

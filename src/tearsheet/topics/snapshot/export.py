"""A snapshot's figures as tables and networks in formats that other programs read. The same figures give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from tearsheet.topics.model import UNDATEABLE
from tearsheet.topics.snapshot.layout import lay_out
from tearsheet.topics.snapshot.palette import color_of
from tearsheet.topics.snapshot.timespans import Figures, MediumCounts

STORY_COLUMNS = (
    "stories_id", "title", "url", "publish_date", "date_method", "title_method", "language", "media", "iteration", "why", "foci",
    "media_inlink_count", "inlink_count", "outlink_count", "facebook_share_count", "post_count", "author_count", "channel_count",
    "pagerank", "community",
)  # fmt: skip
MEDIUM_COLUMNS = (
    "media", "story_count", "media_inlink_count", "sum_media_inlink_count", "inlink_count", "outlink_count",
    "facebook_share_count", "post_count", "author_count", "channel_count", "pagerank", "community",
)  # fmt: skip
STORY_LINK_COLUMNS = ("source_stories_id", "ref_stories_id", "sentence")
MEDIUM_LINK_COLUMNS = ("source_media", "ref_media", "link_count")
COLUMN_TYPES = {
    **dict.fromkeys((*STORY_COLUMNS, *STORY_LINK_COLUMNS, *MEDIUM_LINK_COLUMNS), "text"),
    **dict.fromkeys(("iteration", "community", "link_count", *MEDIUM_COLUMNS), "number"),
    **dict.fromkeys((name for name in STORY_COLUMNS if name.endswith("_count")), "number"),
    "media": "text",
    "pagerank": "real",
}
"""What each column of the tables has, also one that is empty."""
MAX_NODES = 5_000
"""How many sources a map shows: the most linked-to ones."""
_FULL_SIZE = 300
"""On maps with more sources than this, circles are smaller."""
_NODE_ATTRIBUTES = (
    ("story_count", "integer"), ("media_inlink_count", "integer"), ("inlink_count", "integer"), ("outlink_count", "integer"),
    ("facebook_share_count", "integer"), ("post_count", "integer"), ("author_count", "integer"), ("channel_count", "integer"),
    ("pagerank", "double"), ("community", "integer"),
)  # fmt: skip


def tables_of(figures: Figures) -> dict[str, tuple[Sequence[str], list[tuple[Any, ...]]]]:
    """The four tables of a timespan: columns and rows by name."""
    stories = [
        (
            row.story.id, row.story.title, row.story.url, row.story.day.isoformat() if row.story.day else UNDATEABLE,
            row.story.date_method, row.story.title_method, row.story.language, row.story.media, row.story.iteration,
            row.story.why, ";".join(row.story.foci), row.media_inlink_count, row.inlink_count, row.outlink_count,
            row.facebook_share_count, *row.posts, row.pagerank, row.community,
        )
        for row in figures.stories
    ]  # fmt: skip
    media = [tuple(getattr(row, name) for name in MEDIUM_COLUMNS) for row in figures.media]
    return {
        "stories": (STORY_COLUMNS, stories),
        "media": (MEDIUM_COLUMNS, media),
        "story_links": (STORY_LINK_COLUMNS, list(figures.story_links)),
        "medium_links": (MEDIUM_LINK_COLUMNS, list(figures.medium_links)),
    }


class MediaMap:
    """The sources of a timespan that are drawn, with their links and positions."""

    def __init__(self, figures: Figures, limit: int = MAX_NODES) -> None:
        self.media: list[MediumCounts] = list(figures.media[:limit])
        numbers = {row.media: number for number, row in enumerate(self.media)}
        self.edges: list[tuple[int, int, float]] = [
            (numbers[a], numbers[b], float(count))
            for a, b, count in figures.medium_links
            if a in numbers and b in numbers
        ]
        found = lay_out(len(self.media), self.edges, [row.community for row in self.media])
        self.positions, self.apart = found.positions, found.apart
        self._largest = max([1, *(row.media_inlink_count for row in self.media)])
        self._scale: float = min(1.0, (_FULL_SIZE / max(len(self.media), 1)) ** 0.33)

    def size(self, row: MediumCounts) -> float:
        """The radius of a source's circle: its area grows with the number of sources that link to it."""
        return round(self._scale * (4.0 + 26.0 * math.sqrt(row.media_inlink_count / self._largest)), 2)


def to_gexf(chart: MediaMap, title: str) -> bytes:
    """The network of sources as GEXF 1.3 with colours, sizes and positions, for Gephi."""
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">',
        f"<meta><creator>Tearsheet</creator><description>{_text(title)}</description></meta>",
        '<graph defaultedgetype="directed" mode="static">',
        '<attributes class="node" mode="static">',
        *(f'<attribute id="{i}" title="{name}" type="{kind}"/>' for i, (name, kind) in enumerate(_NODE_ATTRIBUTES)),
        "</attributes>",
        "<nodes>",
    ]
    for number, row in enumerate(chart.media):
        x, y = (float(value) * 1000 for value in chart.positions[number])
        red, green, blue = color_of(row.community)
        values = ((i, getattr(row, name)) for i, (name, _) in enumerate(_NODE_ATTRIBUTES))
        attributes = "".join(f'<attvalue for="{i}" value="{value}"/>' for i, value in values if value is not None)
        out.append(
            f"<node id={_attribute(row.media)} label={_attribute(row.media)}><attvalues>{attributes}</attvalues>"
            f'<viz:color r="{red}" g="{green}" b="{blue}"/><viz:position x="{x:.2f}" y="{y:.2f}" z="0.0"/>'
            f'<viz:size value="{chart.size(row)}"/></node>'
        )
    out += ["</nodes>", "<edges>"]
    for number, (a, b, weight) in enumerate(chart.edges):
        source, target = _attribute(chart.media[a].media), _attribute(chart.media[b].media)
        out.append(f'<edge id="{number}" source={source} target={target} weight="{weight}"/>')
    out += ["</edges>", "</graph>", "</gexf>", ""]
    return "\n".join(out).encode("utf-8", "replace")


def to_graphml(chart: MediaMap) -> bytes:
    """The network of sources as GraphML."""
    kinds = {"integer": "long", "double": "double"}
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="label" for="node" attr.name="label" attr.type="string"/>',
        *(
            f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kinds[kind]}"/>'
            for name, kind in _NODE_ATTRIBUTES
        ),
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
        '<graph edgedefault="directed">',
    ]
    for row in chart.media:
        values = ((name, getattr(row, name)) for name, _ in _NODE_ATTRIBUTES)
        data = "".join(f'<data key="{name}">{value}</data>' for name, value in values if value is not None)
        label = _text(row.media)
        out.append(f'<node id={_attribute(row.media)}><data key="label">{label}</data>{data}</node>')
    for a, b, weight in chart.edges:
        source, target = _attribute(chart.media[a].media), _attribute(chart.media[b].media)
        out.append(f'<edge source={source} target={target}><data key="weight">{weight}</data></edge>')
    out += ["</graph>", "</graphml>", ""]
    return "\n".join(out).encode("utf-8", "replace")


def _plain(text: str) -> str:
    """Remove characters that XML does not allow."""
    return "".join(c for c in text if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _text(text: str) -> str:
    return _plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

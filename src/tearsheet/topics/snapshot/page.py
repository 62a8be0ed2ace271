"""The page of a snapshot: the map and the tables of each timespan, in one file that opens straight from disk."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape

from tearsheet.counts import how_many
from tearsheet.topics.snapshot.export import MediaMap, tables_of
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.map_svg import to_svg
from tearsheet.topics.snapshot.sharing import Sharing
from tearsheet.topics.snapshot.timespans import Figures, Timespan

_ROWS = 200
_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:1.5rem;color:#1d1a16;background:#fbf8f1}
h1{font:700 2.3rem/1.2 "Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Liberation Serif",serif;margin:0}
h2{font-size:.82rem;letter-spacing:.09em;text-transform:uppercase;margin:2rem 0 .6rem;padding-top:.5rem}
h2{border-top:3px solid #1d1a16}table{border-collapse:collapse;width:100%}a{color:#8c1c13}
th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #d5ccbb;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;border:1px solid #d5ccbb}
section[hidden]{display:none}.scroll{overflow-x:auto}select{font:inherit;padding:.2rem;max-width:100%}.note{color:#5a5349}
code{background:#fffdf8;border:1px solid #d5ccbb;padding:.1rem .3rem;overflow-wrap:anywhere}
"""
_LEGEND = (
    "A circle is a source, the larger the more sources link to it. A line bends clockwise from the source that "
    "links to the one that is linked to, and has the colour of the first; its width is the number of links. "
)
_COMMUNITIES = "Colours are communities: sources that link to each other more than to the rest."
_FOCI = "The colour of a source is that of the focus which most of its stories belong to."
_SCRIPT = """
const choices=[...document.querySelectorAll('main select')],none=document.getElementById('none');
const choose=()=>{none.hidden=false;for(const part of document.querySelectorAll('section[data-timespan]')){
part.hidden=!choices.every(choice=>part.dataset[choice.id]===choice.value);if(!part.hidden)none.hidden=true;}};
for(const choice of choices)choice.addEventListener('change',choose);choose();
"""
_NONE = "There are no stories here, or it is a week of a focus: those are only exported."


_OUR_PAGES = "/stories/"


@dataclass(slots=True, frozen=True)
class Section:
    """What a page shows of one timespan."""

    timespan: Timespan
    body: str


def is_shown(timespan: Timespan) -> bool:
    """Whether a page has a timespan: all but the weeks of foci, which would make it very large."""
    return not timespan.focus or timespan.period != "weekly"


def to_page(frozen: Frozen, sections: Sequence[Section]) -> str:
    """A page of the whole snapshot: map, tables and timespans. It is self-contained."""
    parts = "".join(
        f'<section data-timespan="{section.timespan.days}" data-focus="{escape(section.timespan.focus)}"'
        f"{' hidden' if i else ''}>{section.body}</section>"
        for i, section in enumerate(sections)
    )
    days = [story.day for story in frozen.stories if story.day is not None]
    first, last = frozen.start or min(days, default=None), frozen.end or max(days, default=None)
    dates = f"{first} to {last}" if first and last else "without dates"
    media = [story.media for story in frozen.stories]
    between = sum(media[a] != media[b] for a, b in frozen.links)
    links = f"{how_many(len(frozen.links), 'link')}, {between:,} of them from one source to another"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">"
        f"<title>{escape(frozen.topic)}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(frozen.topic)}</h1><p><bdi><code>{escape(frozen.query)}</code></bdi>, {escape(dates)}: "
        f"{how_many(len(frozen.stories), 'story')}, {links}.</p>"
        f'<p>{_choices(frozen, sections)}</p><p class="note" id="none" hidden>{_NONE}</p>'
        f"{parts}</main><script>{_SCRIPT}</script></body></html>\n"
    )


def _choices(frozen: Frozen, sections: Sequence[Section]) -> str:
    """What a reader chooses: a timespan and, where there are some, a focus."""
    days = dict.fromkeys(section.timespan.days for section in sections)
    timespans = "".join(f"<option>{escape(name)}</option>" for name in days)
    foci = "".join(
        f'<option value="{escape(name)}">{escape(name)}: {escape(said)}</option>' for name, said in frozen.foci
    )
    choice = f'<label>Timespan <select id="timespan">{timespans}</select></label>'
    if foci:
        choice += f' <label>Focus <select id="focus"><option value="">all stories</option>{foci}</select></label>'
    return choice


def make_section(figures: Figures, chart: MediaMap, topic: str, ours: Collection[str] = frozenset()) -> Section | None:
    """Map and tables of a timespan, the most linked-to first; None if it has no stories.

    Titles lead to where the stories were published, or to our own pages of those whose ids are in `ours`.
    """
    if not figures.stories:
        return None
    tables = tables_of(replace(figures, stories=figures.stories[:_ROWS], media=figures.media[:_ROWS]))
    columns = ("title", "media", "publish_date", "media_inlink_count", "inlink_count", "outlink_count", "why")
    stories = [dict(zip(tables["stories"][0], row, strict=True)) for row in tables["stories"][1]]
    rows = [tuple(story[column] for column in columns) for story in stories]
    links = [f"{_OUR_PAGES}{story['stories_id']}" if story["stories_id"] in ours else story["url"] for story in stories]
    name = figures.timespan.name
    drawing = to_svg(chart, f"{topic}: who links to whom, {name}")
    legend = f'<p class="note">{_LEGEND}{_FOCI if chart.foci else _COMMUNITIES}</p>'
    return Section(
        figures.timespan,
        f"<h2>Map</h2>{drawing}{legend}<h2>Sources</h2>{_table('Sources', *tables['media'])}"
        f"<h2>Stories</h2>{_table('Stories', columns, rows, links)}{_quoted_links(figures, ours)}",
    )


def _quoted_links(figures: Figures, ours: Collection[str]) -> str:
    """What was said where stories link to one another, the most linked-to first; nothing if no sentence is known."""
    by_id = {row.story.id: row.story for row in figures.stories}
    place = {id: number for number, id in enumerate(by_id)}
    quoted = sorted((place[ref], place[source], source, ref, said) for source, ref, said in figures.story_links if said)
    if not quoted:
        return ""
    shown = [(by_id[source], by_id[ref], said) for _, _, source, ref, said in quoted[:_ROWS]]
    columns = ("linking_story", "media", "sentence", "linked_story", "linked_media")
    rows = [(a.title, a.media, said, b.title, b.media) for a, b, said in shown]
    links = [f"{_OUR_PAGES}{a.id}" if a.id in ours else a.url for a, _, _ in shown]
    return f"<h2>Links</h2>{_table('Links', columns, rows, links)}"


def _table(
    label: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]], links: list[str] | None = None
) -> str:
    def cell(value: object, link: str | None) -> str:
        if value is None:
            return '<td class="n">–</td>'
        text = escape(f"{value:,}" if isinstance(value, int) else str(value))
        if link and link.startswith(("http://", "https://", _OUR_PAGES)):
            text = f'<a href="{escape(link)}" rel="noreferrer nofollow">{text}</a>'
        return f'<td class="n">{text}</td>' if isinstance(value, int | float) else f"<td>{text}</td>"

    names = [name.replace("_", " ") for name in columns]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(
        "<tr>"
        + "".join(cell(value, links[i] if links and not column else None) for column, value in enumerate(row))
        + "</tr>"
        for i, row in enumerate(rows)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">{table}</div>'


def totals_of(figures: Figures, sharing: Sharing) -> dict[str, str | int]:
    """The totals of a timespan."""
    return {
        "timespan": figures.timespan.name,
        "stories": len(figures.stories),
        "media": len(figures.media),
        "story_links": len(figures.story_links),
        "medium_links": len(figures.medium_links),
        "pages": len(sharing.pages),
        "media_sharing": len(sharing.media_pairs),
        "posts": len(sharing.posts),
        "shared_by_too_many": sharing.shared_by_too_many,
        "weaker_pairs_left_out": sharing.weaker_pairs_left_out,
    }


def summary(frozen: Frozen, totals: Sequence[dict[str, str | int]]) -> str:
    """The timespans and their totals, as JSON."""
    values = {"topic": frozen.topic, "query": frozen.query, "timespans": totals}
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

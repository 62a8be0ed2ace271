"""A paragraph on methods for a paper, made from the record of a topic: what was asked, what was found and left out, who decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from tearsheet.counts import how_many
from tearsheet.topics import decisions, model
from tearsheet.topics.methods.record import Decided, Record
from tearsheet.topics.rehearsal import Precision

_FROM = {
    "index": ("story of the collection that matches", "stories of the collection that match"),
    "url": ("address that was given by hand", "addresses that were given by hand"),
    "csv": ("address from a list", "addresses from lists"),
    "post": ("address from posts", "addresses from posts"),
}
"""Where seeds come from: one, and several."""
_ASKED = {
    model.STORY_ADDED: "gave the page of a new story",
    model.STORY_MATCH: "led to a story that was known",
    model.NO_MATCH: "had none of the words asked for",
    model.REQUEST_FAILED: "could not be fetched",
    model.IGNORED: "was not followed, as erased, on a platform that it does without, or on the list of links that lead to no story",
    model.ERROR: "gave a page that could not be read",
    model.PENDING: "was still to be fetched",
}
_LEFT_OUT = {
    "no match": "did not match the query",
    "outside dates": "was dated outside its dates",
    "by hand": "was left out by hand",
    "error": "could not be read",
    "other": "was left out for another reason",
}
_DECIDED = {
    decisions.INCLUDE: ("page was taken in", "pages were taken in"),
    decisions.EXCLUDE: ("page was left out", "pages were left out"),
    decisions.MERGE: ("source was merged", "sources were merged"),
    decisions.EDIT: ("change was made to the definition", "changes were made to the definition"),
}
_RESTS = "one source may not bring more than {} by links within itself"


@dataclass(slots=True, frozen=True)
class Result:
    """What is described: a snapshot, or the topic as it is when there is none."""

    stories: int
    sources: int
    links: int
    links_between_sources: int
    number: int | None = None
    """The snapshot's; without one, nothing is frozen yet."""
    taken_at: datetime | None = None
    digest: str = ""
    frozen: bool = True
    """Whether the record is that of the snapshot; else it is of now, as no record was kept when the snapshot was taken."""


def methods_paragraph(record: Record, result: Result, precision: Precision) -> str:
    """The paragraph, in whole sentences."""
    parts = (
        _of_definition(record), _of_seeds(record), _of_spider(record), _of_stories(record), _of_decisions(record.decided),
        _of_precision(precision), _of_result(record, result),
    )  # fmt: skip
    return " ".join(sentence for part in parts for sentence in part)


def _of_definition(record: Record) -> Iterator[str]:
    explained = record.explained[:1].lower() + record.explained[1:]
    yield (
        f"The topic “{record.topic}” was mapped with Tearsheet {record.version}. It was defined on "
        f"{_day(record.created_at)} by the query “{record.query}”, which asks for {explained}."
    )


def _of_seeds(record: Record) -> Iterator[str]:
    total = sum(record.seeds.values())
    if not total:
        yield "It has no seeds yet."
        return
    kinds = [
        _counted(count, _FROM.get(source, (f"from {source}",) * 2)) for source, count in _in_order(record.seeds, _FROM)
    ]
    posts = f", of {how_many(record.posts, 'post')} about the topic" if record.posts else ""
    yield f"It started from {how_many(total, 'seed')}: {_listed(kinds)}{posts}."
    if record.assumed:
        yield f"Of these seeds, {how_many(record.assumed, '', 'was')} taken in whatever the text said."


def _of_spider(record: Record) -> Iterator[str]:
    if not (record.runs or record.asked or record.stories):
        yield "It has not been run yet."
        return
    if not record.max_iterations:
        yield "No links were followed."
        return
    yield (
        "The links in the articles themselves, not those beside them, were followed for at most "
        f"{how_many(record.max_iterations, 'iteration')} ({max(record.iterations, default=0)} brought stories), with at least "
        f"{record.seconds_per_media_fetch:g} seconds between two requests to one source."
    )
    caps = [f"the topic may have at most {how_many(record.max_stories, 'story')}"]
    if record.max_self_linked is not None:
        caps.append(_RESTS.format(how_many(record.max_self_linked, "story")))
    yield _capital(f"{_listed(caps)}; the nearest to the seeds come first, and then those that were found first.")
    total = sum(record.asked.values())
    if total:
        asked = _did(record.asked, _ASKED)
        yield f"Of {how_many(total, 'unknown address')} that seeds and links led to, {_listed(asked)}."
    if record.put_off:
        yield f"For {record.put_off:,} of them another try was outstanding."


def _of_stories(record: Record) -> Iterator[str]:
    counts = record.stories
    merged, kept = counts.get(model.MERGED, 0), counts.get(model.IN, 0)
    judged = kept + merged + counts.get(model.OUT, 0)
    if not judged:
        return
    yield (
        f"Of {how_many(judged, 'story')} whose title, description, address and text were judged, "
        f"{_listed([f'{kept + merged:,} belong to the topic', *_did(record.left_out, _LEFT_OUT)])}."
    )
    yield "Sentences that a source used in another story of the same week did not count."
    if merged:
        yield (
            f"{_capital(how_many(merged, 'story', 'was'))} merged into another of the same source and day with the same "
            f"title, which leaves {kept:,}."
        )
    left = [
        f"{counts[state]:,} {why}"
        for state, why in (
            (model.OVER_BUDGET, "found when the topic had as many stories as it may have"),
            (model.OVER_CAP, "beyond what one source may bring"),
            (model.WAITING, "that wait for others to be judged first"),
            (model.ADDING, "that are being judged"),
        )
        if counts.get(state)
    ]
    if left:
        yield f"Not judged were {_listed(left)}."


def _of_decisions(decided: Sequence[Decided]) -> Iterator[str]:
    if not decided:
        yield "Nothing was decided by hand about single pages or sources."
        return
    told = []
    for kind, (one, many) in _DECIDED.items():
        rows = [row for row in decided if row.kind == kind]
        if rows:
            count = sum(row.count for row in rows)
            told.append(f"{count:,} {one if count == 1 else many} ({_listed([_reason(row) for row in rows])})")
    yield f"By hand, {_listed(told)}."


def _reason(row: Decided) -> str:
    why = f"“{row.reason}”" if row.reason else "no reason given"
    what = f"{row.what}: {why}" if row.what else why
    return (
        what
        if row.what or row.count == 1
        else f"{row.count:,} for {why}"
        if row.reason
        else f"{row.count:,} with {why}"
    )


def _of_precision(precision: Precision) -> Iterator[str]:
    if precision.share is None:
        yield "No random sample of the stories was judged by hand."
        return
    low, high = precision.interval
    sure = f"95 % confidence interval (Wilson) {_percent(low)} to {_percent(high)}" if low < high else "all were judged"
    unsure = f", {how_many(precision.undecided, 'other')} could not be told" if precision.undecided else ""
    yield (
        f"A random sample of {how_many(precision.judged, 'story')} was judged by hand: {precision.right:,} "
        f"belong to the topic{unsure}, a precision of {_percent(precision.share)} ({sure})."
    )


def _of_result(record: Record, result: Result) -> Iterator[str]:
    within = result.links - result.links_between_sources
    size = (
        f"{how_many(result.stories, 'story')} of {how_many(result.sources, 'source')} and "
        f"{how_many(result.links, 'link')} between stories, {within:,} of them within one source"
    )
    if result.number is None or result.taken_at is None:
        yield f"On {_day(record.taken_at)} it has {size}; no snapshot was taken yet."
        return
    runs = f", after {how_many(len(record.runs), 'run')} that ended," if record.runs else ""
    yield f"Snapshot {result.number} of {_day(result.taken_at)}{runs} has {size} (SHA-256 {result.digest})."
    if not result.frozen:
        yield (
            "No record was kept with this snapshot, which an earlier version took: what is said of seeds, addresses, "
            f"judging and decisions is as of {_day(record.taken_at)}."
        )


def _in_order(counts: Mapping[str, int], order: Mapping[str, object]) -> list[tuple[str, int]]:
    """Counts in the order of a table; what is not in it comes last."""
    places = list(order)
    known = sorted(counts.items(), key=lambda row: (places.index(row[0]) if row[0] in order else len(places), row[0]))
    return [(name, count) for name, count in known if count]


def _did(counts: Mapping[str, int], phrases: Mapping[str, str]) -> list[str]:
    """What each of these did, or what was done with it, with the number of those: `2 were erased`."""
    told = []
    for name, count in _in_order(counts, phrases):
        verb, _, rest = phrases.get(name, f"was {name}").partition(" ")
        told.append(f"{how_many(count, '', verb)} {rest}")
    return told


def _counted(count: int, nouns: tuple[str, ...]) -> str:
    return f"{count:,} {nouns[0] if count == 1 else nouns[1]}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _day(moment: date) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"

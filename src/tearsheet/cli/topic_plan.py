"""`tearsheet topic plan`: what a topic will come to, before it is run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, reports_errors, services_for, show
from tearsheet.cli.filters import why_none
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.cli.options import JsonOption
from tearsheet.cli.pace import duration
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError
from tearsheet.topics import planning

if TYPE_CHECKING:
    from tearsheet.topics.planning import Estimate, Sample, Span

_MOST_LINKS = 1_000
_KINDS = {"and": "needed", "or": "one of several", "not": "excluded"}


@reports_errors
def plan(
    name: Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))],
    sample: Annotated[
        int,
        typer.Option(
            help="How many links of the seeds are followed; 0 asks nothing of the web.", min=0, max=_MOST_LINKS
        ),
    ] = 60,
    json: JsonOption = False,
) -> None:
    """Estimate the stories, pages and time of a run from a sample, and show what each clause of the query does.

    The sample is of the topic's seeds or, while it has none, of the stories that `seed --index` would give it. Its links
    are followed as politely as in a run. Nothing of the topic changes.
    """
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        found = program.plan_topic(services, topic, sample, said_now_and_then())
        if not (found.stored or found.matching):
            raise NotFoundError(f"there is nothing to start from. {why_none(services, topics.seed_question(topic))}")
    if json:
        show([{"topic": name, **asdict(found)}], {}, form="json")
        return
    _print_estimate(found, topic)
    clauses: list[dict[str, Any]] = [asdict(row) | {"kind": _KINDS[row.kind]} for row in found.clauses]
    if clauses:
        _print_clauses(clauses)
    for title, rows in (("source", found.sources), ("month", found.months)):
        if rows:
            out.print()
            show([{title: one, "stories": count} for one, count in rows], {title: title, "stories": "matching"})


def _print_clauses(clauses: list[dict[str, Any]]) -> None:
    out.print()
    columns = {
        "clause": "clause",
        "kind": "role",
        "alone": "alone",
        "within": "within the query",
        "change": "without it",
    }
    show([row | {"change": f"{row['change']:+,}"} for row in clauses], columns)
    if len(clauses) == planning.MOST_CLAUSES:
        err.print("the query has more clauses: the outer ones are shown")


def _print_estimate(found: program.Plan, topic: topics.Topic) -> None:
    out.print(f"{how_many(found.matching, 'story')} of the index match the query")
    if found.sample is None or found.estimate is None:
        return
    out.print(_said_of_sample(found.sample, found.stored))
    out.print()
    rows = [_row(what, span, seconds=what == "time") for what, span in _spans(found.estimate).items()]
    show(rows, {"what": "a run", "estimate": "estimate", "low": "at least", "high": "at most"})
    if found.estimate.stories.high >= topic.max_stories:
        out.print(f"the size budget of {how_many(topic.max_stories, 'story')} may cut it")


def _spans(estimate: Estimate) -> dict[str, Span]:
    return {"stories": estimate.stories, "pages to fetch": estimate.pages, "time": estimate.seconds}


def _row(what: str, span: Span, *, seconds: bool) -> dict[str, Any]:
    def shown(value: float) -> str:
        return duration(value) if seconds else f"{value:,.0f}"

    return {"what": what, "estimate": shown(span.estimate), "low": shown(span.low), "high": shown(span.high)}


def _said_of_sample(sample: Sample, stored: bool) -> str:
    seeds = how_many(sample.seeds, "seed") if stored else f"{how_many(sample.seeds, 'seed')} to be"
    failed = f", {sample.failed:,} of them in vain" if sample.failed else ""
    return (
        f"{seeds}: {sample.read:,} were read, {sample.members:,} belong to the topic, and have links to "
        f"{how_many(sample.addresses, 'other address')}; {sample.followed:,} of these were looked at "
        f"({sample.fetched:,} fetched{failed}), and {len(sample.found):,} belong to the topic"
    )

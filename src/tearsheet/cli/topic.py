"""`tearsheet topic`: from a boolean query to a map of who links to whom."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import index as answering
from tearsheet import topics
from tearsheet.cli import (
    topic_correcting,
    topic_describe,
    topic_foci,
    topic_lists,
    topic_plan,
    topic_rehearse,
    topic_words,
)
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.filters import question_of, why_none
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption, YesOption, confirm
from tearsheet.cli.progress import TopicProgress
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.files import hand_over, hand_over_all
from tearsheet.tables import csv_table
from tearsheet.topics import snapshot as snapshots
from tearsheet.topics import spider

app = typer.Typer(help="Topics: from a boolean query to a map of who links to whom.", no_args_is_help=True)
NewName = Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME")]
Name = Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))]
_LISTED = 20
"""How many addresses that wait for another try `status` names."""
ColorBy = Annotated[
    str,
    typer.Option(
        "--color-by", help="What colours stand for: `community`, `focus`, or the foci of one set by its name."
    ),
]
SnapshotId = Annotated[int | None, typer.Option("--snapshot", help="A snapshot's number; the newest without it.")]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    topic_correcting.add_corrections(app)
    topic_lists.add_lists(app)
    app.add_typer(topic_foci.app, name="focus")
    app.command()(topic_words.words)
    parent.add_typer(app, name="topic")


def _span(first: str, last: str) -> tuple[date, date]:
    start, end = answering.read_day(first, "--timespan"), answering.read_day(last, "--timespan", last=True)
    if start is None or end is None:
        raise UsageError(f"--timespan: write it as FIRST=LAST, two days, and not as {first + '=' + last!r}")
    return start, end


def _pairs(items: list[str], what: str, form: str) -> list[tuple[str, str]]:
    pairs = [item.partition("=") for item in items]
    for item, (_, equals, _) in zip(items, pairs, strict=True):
        if not equals:
            raise UsageError(f"{what}: write {item!r} as {form}")
    return [(name, value) for name, _, value in pairs]


def _foci(items: list[str]) -> dict[str, topics.Focus]:
    pairs = _pairs(items, "--focus", "NAME=QUERY")
    foci = {name: topics.Focus(query) for name, query in pairs}
    if len(foci) < len(pairs):
        raise UsageError("--focus: two foci have the same name; give one of them another")
    return foci


@app.command()
@reports_errors
def create(
    name: NewName,
    query: Annotated[str, typer.Argument(help="The boolean query that stories must match.", metavar="QUERY")],
    start: Annotated[str, typer.Option("--from", help="First day of the topic.")] = "",
    end: Annotated[str, typer.Option("--to", help="Last day of the topic.")] = "",
    source: Annotated[
        list[str] | None,
        typer.Option(help="A domain that seeds come from; may be repeated.", autocompletion=names_of("sources")),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            help="A collection that the sources of seeds belong to; may be repeated.",
            autocompletion=names_of("collections"),
        ),
    ] = None,
    iterations: Annotated[
        int, typer.Option(help="How many links away from the seeds stories may be.")
    ] = topics.MAX_ITERATIONS,
    max_stories: Annotated[
        int, typer.Option(help="Size budget: the most stories, the nearest to the seeds and the first found of them.")
    ] = topics.MAX_STORIES,
    seconds: Annotated[float | None, typer.Option(help="Seconds between two fetches from one source.")] = None,
    focus: Annotated[list[str] | None, typer.Option(help="A part to count separately: NAME=QUERY.")] = None,
    timespan: Annotated[list[str] | None, typer.Option(help="A custom timespan: FIRST=LAST day.")] = None,
    platforms: Annotated[
        bool,
        typer.Option(
            help="Follow links to platforms (YouTube, X, Wikipedia): videos and posts about the topic become stories."
        ),
    ] = True,
) -> None:
    """Create a topic. Seed it next, then run it."""
    seeds = question_of(query, start=start, end=end, sources=source, collections=collection)
    spans = dict.fromkeys(_span(first, last) for first, last in _pairs(timespan or [], "--timespan", "FIRST=LAST"))
    new = topics.NewTopic(
        name, seeds.text, seeds.start, seeds.end, seeds.sources, seeds.collections, iterations, max_stories, seconds,
        _foci(focus or []), tuple(spans), platforms,
    )  # fmt: skip
    with services_for(begins=True) as services:
        topics.store.create_topic(services.database, new, services.settings.topics.seconds_per_media_fetch)
    out.print(f"topic {name!r} created; `tearsheet topic seed` gives it its first stories")


@app.command()
@reports_errors
def seed(
    name: Name,
    urls: Annotated[list[str] | None, typer.Argument(help="Addresses to start from.", metavar="[URL…]")] = None,
    index: Annotated[bool, typer.Option("--index", help="All stories of the index that match the query.")] = False,
    file: Annotated[Path | None, typer.Option("--csv", help="A CSV file with a column `url`.")] = None,
    posts: Annotated[
        Path | None,
        typer.Option(help="Posts, as CSV or JSON lines: content, author, publish_date; channel and post_id if known."),
    ] = None,
    assume_match: Annotated[
        bool, typer.Option(help="The addresses given and those of --csv belong to the topic whatever their text says.")
    ] = False,
) -> None:
    """Give a topic its seeds: from the index, from addresses, from a CSV file, or from the addresses in posts.

    A post counts when it was written within the topic's dates and matches its query.
    """
    if not (urls or index or file or posts):
        raise UsageError("nothing to seed from: give URLs, --index, --csv FILE or --posts FILE")
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        seeds = [topics.Seed(url, None, "url", assume_match) for url in urls or ()]
        seeds += (
            [topics.Seed(row["url"], None, "csv", assume_match) for _, row in csv_table(file, ["url"])] if file else []
        )
        if index:
            matching = program.seed_from_index(services, topic)
            if not matching and not (seeds or posts):
                raise NotFoundError(f"no seeds added. {why_none(services, topics.seed_question(topic))}")
            if not matching:
                err.print(why_none(services, topics.seed_question(topic)))
            seeds += matching
        added, refused = spider.add_seeds(services.database, topic.id, seeds)
        if posts:
            found = program.seed_from_posts(services, topic, posts)
            out.print(
                f"{found.about:,} of {found.read:,} posts are about the topic, {found.added:,} of them new; "
                f"{how_many(found.seeds, 'seed')} added from them"
            )
    if seeds:
        out.print(
            f"{how_many(added, 'seed')} added, {how_many(len(seeds) - added - len(refused), '', 'was')} known already"
        )
    for url in refused:
        err.print(f"refused: {url[:200]}")
    if refused:
        raise PartialFailure(f"{how_many(len(refused), 'address', 'was')} refused: see above")


@app.command()
@reports_errors
def run(
    name: Name,
    join: Annotated[bool, typer.Option("--join", help="Help a run that another process started.")] = False,
) -> None:
    """Run a topic until nothing new is found, then dedupe and take a snapshot. Continues where an interrupted run stopped."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        done, progress = program.run_topic_to_its_end(services, topic, TopicProgress(), join=join)
    out.print(
        f"{how_many(progress.stories, 'story')} in {how_many(progress.iteration, 'iteration')}, "
        f"{progress.not_relevant:,} not relevant, "
        f"{how_many(progress.failed_requests, 'address')} that could not be fetched{_not_followed(progress)}"
        f"{done.message and f'; {done.message}'}",
    )


def _not_followed(progress: topics.Progress) -> str:
    """What a run says when there are addresses that it did not follow; `topic stories` tells the reasons."""
    return (
        f", {how_many(progress.left_out, '', 'was')} not followed (`topic stories` says why)"
        if progress.left_out
        else ""
    )


@app.command()
@reports_errors
def stop(name: Name) -> None:
    """Stop the run of a topic, in whichever process it is. `tearsheet topic run` goes on with it."""
    with services_for() as services:
        topics.store.stop_topic(services.database, topics.store.find_topic(services.database, name))
    out.print(f"the run of {name!r} stops; `tearsheet topic run` goes on with it")


@app.command()
@reports_errors
def delete(name: Name, yes: YesOption = False) -> None:
    """Delete a topic with its seeds, links and snapshots. Stories stay in the index and the archive, and exported files too.

    To remove a story from everywhere, evidence included, use `tearsheet erase`.
    """
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        stories = topics.store.progress_of(services.database, topic).stories
        confirm(f"Delete the topic {name} of {how_many(stories, 'story')}, and its snapshots?", yes)
        topics.store.delete_topic(services.database, topic)
    out.print(f"the topic {name!r} is deleted")


@app.command()
@reports_errors
def status(name: Name, json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """Show how far a topic has got."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        progress = topics.store.progress_of(services.database, topic)
        between = topics.store.count_links_between_stories(services.database, topic)
        taken = snapshots.list_snapshots(services.database, topic.id)
        put_off = topics.store.list_put_off(services.database, topic)
    values = {
        "name": topic.name,
        "query": topic.query,
        "state": topic.state,
        "message": topic.message,
        "stories": progress.stories,
        "not_relevant": progress.not_relevant,
        "over_budget": progress.over_budget,
        "over_cap": progress.over_cap,
        "platforms": topic.platforms,
        "left_out": progress.left_out,
        "iteration": progress.iteration,
        "max_iterations": topic.max_iterations,
        "links": progress.links,
        "links_between_stories": between,
        "failed_requests": progress.failed_requests,
        "errors": progress.errors,
        "waiting_for": progress.describe_waiting(),
        "snapshots": [row.id for row in taken],
    }
    if json or jsonl:
        again = [{"url": url, "next_try": at} for url, at in put_off]
        show([{**values, "put_off": again}], {}, form=output_form(json, jsonl, False))
        return
    values["put_off"] = progress.describe_put_off(time.time())
    show([{"what": key, "value": str(value)} for key, value in values.items()], {"what": "", "value": ""})
    for url, at in put_off[:_LISTED]:
        out.print(f"tried again from {at:%Y-%m-%d %H:%M} UTC on: {url}")
    if len(put_off) > _LISTED:
        out.print(f"… and {len(put_off) - _LISTED:,} more: --json lists them all")


@app.command("list")
@reports_errors
def list_all(json: JsonOption = False, jsonl: JsonlOption = False, csv: CsvOption = False) -> None:
    """List the topics."""
    with services_for() as services:
        known = topics.store.list_topics(services.database)
    columns = {"name": "name", "state": "state", "query": "query", "start": "from", "end": "to", "message": "message"}
    show(
        [{key: getattr(topic, key) for key in columns} for topic in known], columns, form=output_form(json, jsonl, csv)
    )


@app.command()
@reports_errors
def snapshot(
    name: Name,
    note: Annotated[str, typer.Option(help="What to remember it by.")] = "",
    stories_of: Annotated[
        int | None, typer.Option(help="Take stories and links of this snapshot, by its number, with the foci of now.")
    ] = None,
) -> None:
    """Freeze a topic as it is now. A run does so at its end."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        number, digest = program.take_snapshot(services, topic, note, stories_of)
    out.print(f"snapshot {number}, sha256 {digest}")


@app.command()
@reports_errors
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(help="Where the files go.", metavar="FOLDER")],
    form: Annotated[
        list[str] | None,
        typer.Option("--format", help="One of csv, jsonl, parquet, gexf, graphml, svg, png, html; may be repeated."),
    ] = None,
    snapshot: SnapshotId = None,
    least_shared: Annotated[
        int, typer.Option(help="How many pages two sources must both link to, to be joined in the network of sharing.")
    ] = topics.LEAST_SHARED,
    color_by: ColorBy = topics.COMMUNITIES,
    text: Annotated[
        bool, typer.Option("--text", help="The text of each story, as a column of the tables of stories.")
    ] = False,
) -> None:
    """Write a snapshot's tables and networks, one set for each timespan."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        files = program.export_topic(services, topic, folder, form, snapshot, least_shared, color_by, text=text)
        hand_over_all(files, folder)
    out.print(f"{how_many(len(files), 'file')} in {folder}")


@app.command("map")
@reports_errors
def draw(
    name: Name,
    file: Annotated[
        Path, typer.Argument(help="The file to write: .html, .svg, .png, .gexf or .graphml.", metavar="FILE")
    ],
    timespan: Annotated[str, typer.Option(help="A timespan's name, as `export` writes it.")] = "overall",
    snapshot: SnapshotId = None,
    color_by: ColorBy = topics.COMMUNITIES,
) -> None:
    """Draw who links to whom: a picture, or a page with all timespans that opens from a disk."""
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        program.draw_topic(services, topic, file, timespan, snapshot, color_by)
        hand_over(file)
    out.print(f"{file} written")


app.command()(topic_plan.plan)
app.command()(topic_rehearse.rehearse)
app.command()(topic_describe.describe)

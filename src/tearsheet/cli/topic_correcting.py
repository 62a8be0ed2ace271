"""The commands of `tearsheet topic` that correct one: each is kept with its time and reason, and holds from the next run on."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import quote
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, reports_errors, services_for
from tearsheet.cli.filters import question_of
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.topics import spider
from tearsheet.urls import BadURL

Name = Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))]
Urls = Annotated[list[str], typer.Argument(help="Addresses of pages.", metavar="URL…")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept with the decision.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take the decision back: the query decides again.")]
_PARTS = {
    "query": "query", "start": "first day", "end": "last day", "domains": "sources", "collections": "collections",
    "max_iterations": "iterations", "max_stories": "size budget", "seconds_per_media_fetch": "pace",
    "platforms": "platforms",
}  # fmt: skip


def add_corrections(app: typer.Typer) -> None:
    """Add the commands to the group."""
    for command in (edit, retry, include, exclude, merge, split):
        app.command()(reports_errors(command))


def edit(
    name: Name,
    query: Annotated[str | None, typer.Option(help="The boolean query that stories must match.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="First day of the topic; '' for none.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last day of the topic; '' for none.")] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="A domain that seeds come from, instead of those so far; may be repeated.",
            autocompletion=names_of("sources"),
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            help="A collection that the sources of seeds belong to, instead of those so far; may be repeated.",
            autocompletion=names_of("collections"),
        ),
    ] = None,
    any_source: Annotated[
        bool, typer.Option("--any-source", help="Seeds come from all sources, whatever their collections.")
    ] = False,
    iterations: Annotated[int | None, typer.Option(help="How many links away from the seeds stories may be.")] = None,
    max_stories: Annotated[int | None, typer.Option(help="Size budget: the most stories.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds between two fetches from one source.")] = None,
    platforms: Annotated[
        bool | None,
        typer.Option("--platforms/--no-platforms", help="Follow links to platforms (YouTube, X, Wikipedia), or not."),
    ] = None,
    reason: Reason = "",
) -> None:
    """Change what a topic is. What is known of pages stays known: only what the change affects is asked for again."""
    if any_source and (source or collection):
        raise UsageError("--any-source: give it alone, or name sources and collections")
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        changes: dict[str, Any] = _question(topic, query, start, end, source, collection)
        if any_source:
            changes |= {"domains": (), "collections": ()}
        given = {
            "max_iterations": iterations,
            "max_stories": max_stories,
            "seconds_per_media_fetch": seconds,
            "platforms": platforms,
        }
        changes |= {part: value for part, value in given.items() if value is not None}
        if not changes:
            raise UsageError("nothing to change: name a part of the definition, as --query or --iterations")
        edited = program.edit_definition(services, topic, changes, reason)
    out.print(f"changed: {', '.join(_PARTS[part] for part in edited.changed)}")
    for line in _told(edited):
        out.print(line)
    if edited.judged or edited.index_seeds:
        out.print(_next(name))


def _question(
    topic: topics.Topic,
    query: str | None,
    start: str | None,
    end: str | None,
    source: list[str] | None,
    collection: list[str] | None,
) -> dict[str, Any]:
    """The parts of the seeds' question that were given, read as those of a new topic are."""
    given = {"query": query, "start": start, "end": end, "domains": source, "collections": collection}
    chosen = [part for part, value in given.items() if value is not None]
    read = question_of(
        topic.query if query is None else query, start=start, end=end, sources=source, collections=collection
    )
    values = {"query": read.text, "start": read.start, "end": read.end, "domains": read.sources}
    values |= {"collections": read.collections}
    return {part: tuple(sorted(value)) if isinstance(value := values[part], tuple | list) else value for part in chosen}


def _told(edited: topics.Edited) -> Iterator[str]:
    """What the next run does again."""
    if edited.index_seeds:
        before, now = edited.index_seeds
        yield f"{how_many(now, 'seed')} from the index instead of {before:,}"
    if edited.judged:
        yield f"{how_many(edited.judged, 'known page')} will be judged again, none of them is fetched for that"
    if edited.fetched:
        yield f"{how_many(edited.fetched, 'address')} will be fetched again that held no match for the earlier query"
    if edited.platforms:
        yield f"{how_many(edited.platforms, 'address')} on platforms and the like will be looked at again"
    if edited.posts:
        yield (
            f"{how_many(edited.posts, 'post')} no longer count; `tearsheet topic seed … --posts FILE` reads those that count now"
        )


def retry(
    name: Name,
    urls: Annotated[
        list[str] | None,
        typer.Argument(help="Only these addresses, also where the page held no match.", metavar="[URL…]"),
    ] = None,
) -> None:
    """Try again what failed or was rejected by a rule: the next run asks for it. What waits for another try is tried at once."""
    with services_for() as services:
        retried = topics.retry(services.database, topics.store.find_topic(services.database, name), urls or ())
    parts = [
        how_many(retried.addresses, "address") if retried.addresses else "",
        f"the links of {how_many(retried.pages, 'story')}" if retried.pages else "",
    ]
    out.print(f"{' and '.join(filter(None, parts))} will be tried again")
    out.print(_next(name))


def include(name: Name, urls: Urls, reason: Reason = "", undo: Undo = False) -> None:
    """Take pages into a topic, whatever their text says; they count as seeds, so their links are followed."""
    _decide(name, "include", urls, reason, undo)


def exclude(name: Name, urls: Urls, reason: Reason = "", undo: Undo = False) -> None:
    """Leave pages out of a topic, whatever their text says; their links are not followed."""
    _decide(name, "exclude", urls, reason, undo)


def _decide(name: str, kind: str, urls: list[str], reason: str, undo: bool) -> None:
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        if undo:
            done = topics.undo_pages(services.database, topic, kind, urls)
        else:
            done = topics.decide_pages(services.database, topic, kind, urls, reason)
    what = "left to the query again" if undo else "taken in" if kind == "include" else "left out"
    if done.decided:
        out.print(f"{how_many(done.decided, 'page')} will be {what}")
    if kind == "exclude":
        for url in done.unknown:
            err.print(f"not come across yet, and left out if it is: {url[:200]}")
    for url in done.refused:
        err.print(f"refused, as it is not an address: {url[:200]}")
    if done.decided:
        out.print(_next(name))
    if done.refused:
        raise PartialFailure(f"{how_many(len(done.refused), 'address', 'was')} refused: see above")


def merge(
    name: Name,
    source: Annotated[str, typer.Argument(help="The source whose stories count for the other: its domain.")],
    target: Annotated[str, typer.Argument(help="The source that they count for: its domain.")],
    reason: Reason = "",
) -> None:
    """Let the stories of a source count for another one, in this topic only. Chains are followed; `split` undoes it."""
    child, parent = _domain(source), _domain(target)
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        topics.merge_sources(services.database, topic, child, parent, reason)
    out.print(f"stories of {child} will count for {parent} in {name!r}")
    out.print(_next(name))


def split(
    name: Name,
    source: Annotated[str, typer.Argument(help="The source that was merged into another one: its domain.")],
) -> None:
    """Let a source that was merged into another one stand for itself again: the opposite of `merge`."""
    child = _domain(source)
    with services_for() as services:
        topics.split_source(services.database, topics.store.find_topic(services.database, name), child)
    out.print(f"stories of {child} will count for {child} again in {name!r}")
    out.print(_next(name))


def _domain(text: str) -> str:
    try:
        return spider.media_of(text if "://" in text else f"http://{text}/")
    except BadURL as error:
        raise UsageError(f"{text!r} is not a source: {error}") from error


def _next(name: str) -> str:
    return f"`tearsheet topic run {quote(name)}` works out the result"

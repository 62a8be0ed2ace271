"""What `run`, `demo` and `pipeline run` share: their options, a collection with its progress, and its summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import pipeline as pipelines
from tearsheet import work
from tearsheet.cli.context import err, out, show
from tearsheet.cli.options import LAST_PORT
from tearsheet.cli.polled import MOST_FEEDS_SHOWN, print_failed_feeds, print_more
from tearsheet.cli.progress import Progress
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure

OnceOption = Annotated[
    bool, typer.Option("--once", help="Stop when the feeds are polled and nothing is left but later tries.")
]
PortOption = Annotated[int | None, typer.Option(help="Port of the web pages. [default: 8700]", max=LAST_PORT)]
WebOption = Annotated[
    bool | None,
    typer.Option("--web/--no-web", help="Serve the web pages too. [default: --web, but not with --once]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]


def collect(
    services: program.Services,
    *,
    once: bool,
    web: bool,
    as_json: bool,
    headline: str = "",
    pipeline: pipelines.Pipeline | None = None,
) -> program.Summary:
    """Collect with progress and web pages, then print what came of it. Raises Interrupted when `once` did not reach its end.

    Raises PartialFailure when a feed failed, when it stopped queuing because the disk is nearly full, or could not copy
    archive files.
    """

    def along(collector: program.Collector) -> Sequence[work.Service]:
        return [Progress(collector, headline).run, *([web_service(services)] if web else [])]

    summary, interrupted = program.collect(services, along, once=once, pipeline=pipeline)
    print_summary(summary, as_json=as_json)
    if interrupted and once:
        raise program.Interrupted
    if once and summary.failed_feeds:
        raise PartialFailure(
            f"{len(summary.failed_feeds):,} of {how_many(summary.feeds, 'feed')} could not be read: see above"
        )
    if summary.short_of_disk:
        raise PartialFailure(f"not all stories were queued: {summary.short_of_disk}, and run again")
    check_copies(summary.uncopied)
    return summary


def check_copies(uncopied: str) -> None:
    """Raises PartialFailure when copies of archive files are still to be made."""
    if uncopied:
        raise PartialFailure(f"{uncopied}; a later run tries again, and `tearsheet archive upload --now` at once")


def web_service(services: program.Services) -> work.Service:
    """The web pages as a service, which prints their address."""
    from tearsheet.web import page_service  # not needed for a help text, and slow to import

    return page_service(
        services,
        lambda address: err.print(f"Look at it:    {address}"),
        lambda danger: err.print(f"WARNING:       {danger}", style="bold red"),
    )


def print_summary(summary: program.Summary, *, as_json: bool) -> None:
    """Print what was collected, what was not, and why."""
    if as_json:
        show([summary], {}, form="jsonl")
        return
    so_far = ""
    if (done := summary.this_run) and (done.indexed, done.archived) != (summary.indexed, summary.archived):
        out.print(f"This run: {how_many(done.indexed, 'story')} indexed and {done.archived:,} archived.")
        so_far = "In the folder: "
    out.print(
        f"{so_far}{how_many(summary.indexed, 'story')} indexed and {summary.archived:,} archived "
        f"in {how_many(summary.archive_files, 'WARC file')} ({summary.archive_bytes / 1e6:,.1f} MB), "
        f"from {how_many(summary.feeds, 'feed')}"
    )
    print_left_out({"dropped": summary.dropped, "in quarantine": summary.quarantined})
    print_quarantines(summary.in_quarantine)
    unfinished = summary.queued - summary.later.stories
    if unfinished > 0:
        out.print(f"{how_many(unfinished, 'story', 'is')} still queued and will continue with the next run.")
    print_later_tries(summary.later)
    print_failed_feeds(summary.failed_feeds)
    if done and summary.feeds:
        print_not_polled(done)


def print_left_out(counts_by_title: Mapping[str, Mapping[str, int]]) -> None:
    """Print how many stories were left out, and for which reasons, the most frequent first."""
    for title, counts in counts_by_title.items():
        if counts:
            out.print(f"{sum(counts.values()):,} {title}:")
            for reason, stories in sorted(counts.items(), key=lambda item: -item[1]):
                out.print(f"  {stories:>7,}  {reason}")


def print_quarantines(in_quarantine: Mapping[str, int]) -> None:
    """Say where stories wait for a person, and what that person can do."""
    for stage, stories in in_quarantine.items():
        queue = work.quarantine_queue(stage)
        out.print(
            f"{how_many(stories, 'story', 'waits')} in {queue} for you: "
            f"`tearsheet queues peek {queue}` says why, `tearsheet queues requeue {stage}` tries again."
        )


def print_later_tries(later: work.LaterTries) -> None:
    """Say how many stories wait for another try, and from when on a run would take them up again."""
    if later.stories:
        first = f", the first at {_moment(datetime.fromtimestamp(later.first))}" if later.first else ""
        out.print(f"{how_many(later.stories, 'story', 'waits')} for another try{first}; a later run takes them up.")


def print_not_polled(done: program.ThisRun) -> None:
    """Say that no feed was due, when that is so, and which feeds were left alone because they failed before."""
    if not done.polls.polled:
        following = f"; the next one is due at {_moment(done.polls.next_poll)}" if done.polls.next_poll else ""
        out.print(f"No feed was due{following}. `tearsheet feeds poll FEED` polls one at once.", style="yellow")
    for feed in done.failing[:MOST_FEEDS_SHOWN]:
        following = f"its next poll is at {_moment(feed.next_poll)}" if feed.next_poll else "it is not polled any more"
        out.print(f"{feed.url} is failing: {feed.why}; {following}; {feed.advice}", style="yellow")
    print_more(len(done.failing))


def _moment(when: datetime) -> str:
    return f"{when.astimezone():%H:%M on %-d %B}"

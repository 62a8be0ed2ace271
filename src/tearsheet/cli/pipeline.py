"""`tearsheet pipeline`: show the pipelines, and run one on files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import pipeline as pipelines
from tearsheet import query as queries
from tearsheet import work
from tearsheet.cli.collecting import check_copies, collect, print_later_tries, print_left_out, print_quarantines
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.options import JsonlOption, JsonOption
from tearsheet.cli.progress import Progress
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.pipeline import queuers

app = typer.Typer(help="Show the pipelines, and run one on files.", no_args_is_help=True)
_SAMPLE_PERCENT = 10.0

InputsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files, directories, http(s) addresses, blobs (s3://BUCKET/KEY, blob:KEY, with a * at the end for all keys "
        "that begin that way), and @FILE for a list of such inputs.",
        metavar="[INPUT]…",
    ),
]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="pipeline")


@app.command("list")
@reports_errors
def list_pipelines(json: JsonOption = False, jsonl: JsonlOption = False) -> None:
    """Draw every pipeline: where its stories come from, its stages, and what its archive files are called."""
    with services_for() as services:
        rows = [_row(pipeline, services.settings.archive.prefix) for pipeline in services.pipelines.values()]
    columns = {"name": "pipeline", "drawing": "stages", "files": "archive files", "about": "about"}
    shown = [row | {"files": f"{row['prefix']}-*.warc.gz" if row["prefix"] else None} for row in rows]
    form = output_form(json, jsonl, False)
    show(shown if form == "table" else rows, columns, form=form)


def _row(pipeline: pipelines.Pipeline, prefix: str) -> dict[str, Any]:
    archives = any(step.stage == "archiver" for step in pipeline.steps)
    return {
        "name": pipeline.name,
        "about": pipeline.about,
        "queuer": pipeline.queuer,
        "reads": pipelines.QUEUERS[pipeline.queuer],
        "stages": [asdict(step) | {"queue": f"{pipeline.queue_name(step.stage)}-in"} for step in pipeline.steps],
        "drawing": pipelines.drawing(pipeline),
        "prefix": (pipeline.prefix or prefix) if archives else None,
        "max_retries": pipeline.max_retries,
    }


@app.command("run")
@reports_errors
def run_pipeline(
    flavour: Annotated[str, typer.Argument(help="As in `tearsheet pipeline list`.", metavar="FLAVOUR")],
    inputs: InputsArgument = None,
    force: Annotated[bool, typer.Option("--force", help="Take files that were finished before, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and count, but queue nothing.")] = False,
    max_stories: Annotated[int | None, typer.Option(help="Stop after this many stories.", min=1)] = None,
    sample_size: Annotated[
        int | None, typer.Option(help="This many stories: one in ten, at random, until there are enough.", min=1)
    ] = None,
    random_sample: Annotated[
        float | None, typer.Option(help="This percentage of the stories, at random.", min=0, max=100)
    ] = None,
    days: Annotated[
        int | None,
        typer.Option(help="The daily files of this many days up to yesterday (batch only).", min=1, max=3660),
    ] = None,
    yesterday: Annotated[bool, typer.Option("--yesterday", help="As --days 1.")] = False,
    queue_only: Annotated[
        bool, typer.Option("--queue-only", help="Queue the stories and leave the work to `tearsheet worker`.")
    ] = False,
    index: Annotated[
        str | None,
        typer.Option(
            help="Index into this index (as index-2, a folder in the data folder) instead of that of `engines.index`.",
            metavar="URL",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Queue the stories of some inputs and work on them until all is done.

    A file that was finished is known by its base name and not taken again; if its size differs now, that is told (exit code 3).
    One that a killed run had begun is started again.
    `--max-stories`, `--sample-size` and `--random-sample` take part of the stories and remember no files.
    `--days` and `--yesterday` take the daily files of the rss-fetcher in `feeds.remote`, or those in the folders that are named.
    An index keeps the first copy of a story: `--index` makes a new one, while the old one is still searched.
    """
    choice = queuers.Choice(
        force=force,
        dry_run=dry_run,
        max_stories=sample_size or max_stories,
        percent=_SAMPLE_PERCENT if sample_size else random_sample,
    )
    with services_for(own=True, engines__index=index) as services:
        pipeline = pipelines.pipeline_named(flavour, services.settings.pipelines)
        if pipeline.queuer == "feeds":
            _refuse_choices(flavour, inputs, narrowed=choice != queuers.Choice() or bool(days) or yesterday)
            collect(services, once=True, web=False, as_json=json, pipeline=pipeline)
            return
        inputs = _inputs_meant(services, pipeline, inputs or [], days or int(yesterday))
        if not dry_run:
            _warn_of_first_copies(services, pipeline, index)
        source = program.FileSource(services, pipeline, inputs, choice)
        outcome = _run(services, pipeline, source, dry_run=dry_run, queue_only=queue_only)
    if json:
        _print_json(source.tally, outcome)
    else:
        _print(source.tally, outcome, dry_run=dry_run, queue_only=queue_only)
    _check(source, outcome, inputs)


def _refuse_choices(flavour: str, inputs: list[str] | None, *, narrowed: bool) -> None:
    """A pipeline whose stories come from feeds has nothing to choose from."""
    if inputs:
        raise UsageError(f"the pipeline {flavour} takes no inputs: its stories come from the feeds")
    if narrowed:
        raise UsageError(
            f"the pipeline {flavour} takes whatever is new: to take some days or a sample of an rss-fetcher's stories, "
            "read its daily files with `tearsheet pipeline run batch --days 3`"
        )


@dataclass(slots=True)
class _Outcome:
    """What became of the stories of some files."""

    ran: program.Ran
    later: work.LaterTries
    waiting: int = 0
    uncopied: str = ""


def _run(
    services: program.Services,
    pipeline: pipelines.Pipeline,
    source: program.FileSource,
    *,
    dry_run: bool,
    queue_only: bool,
) -> _Outcome:
    if dry_run:
        source.count()
        return _Outcome(program.Ran(), work.LaterTries())
    ran = program.run_files(services, pipeline, source, _progress(pipeline, source), queue_only=queue_only)
    waiting = program.waiting_stories(services, pipeline)
    if queue_only:
        return _Outcome(ran, work.LaterTries(), waiting)
    return _Outcome(ran, program.waiting_tries(services, pipeline), waiting, program.waiting_copies(services))


def _check(source: program.FileSource, outcome: _Outcome, inputs: list[str]) -> None:
    """Raise what the command ends with, unless all is done."""
    if outcome.ran.interrupted:
        raise program.Interrupted
    if not source.tally.files:
        raise NotFoundError(f"there is no file to read in {', '.join(inputs)}: is its disk mounted?")
    if source.floor.gave_up:
        raise PartialFailure(f"not all stories were queued: {source.floor.told}, and run the pipeline again")
    if source.tally.failed:
        raise PartialFailure(
            f"{source.tally.failed:,} of {how_many(source.tally.files, 'file')} could not be read to their end"
        )
    if source.tally.changed:
        raise PartialFailure(
            f"{source.tally.changed[0]} was finished before, when it had another size, and was not read: if it has grown, "
            "--force takes all of it again; if it is another file, rename it"
        )
    if outcome.later.stories:
        raise PartialFailure(
            f"{how_many(outcome.later.stories, 'story', 'waits')} for another try: run the pipeline again later"
        )
    check_copies(outcome.uncopied)


def _progress(pipeline: pipelines.Pipeline, source: program.FileSource) -> program.Along:
    return lambda collector: [Progress(collector, pipeline.name, lambda: source.tally).run]


def _inputs_meant(services: program.Services, pipeline: pipelines.Pipeline, given: list[str], days: int) -> list[str]:
    """The inputs that were named, or the daily files of some `days` in them."""
    meant = _daily_files(services, pipeline, given, days) if days else given
    if not meant:
        raise UsageError(f"name the inputs of the pipeline {pipeline.name}: {pipelines.QUEUERS[pipeline.queuer]}")
    return meant


def _daily_files(services: program.Services, pipeline: pipelines.Pipeline, folders: list[str], days: int) -> list[str]:
    """The files of the last days in these folders of an rss-fetcher, or in that of the one in `feeds.remote`."""
    if pipeline.queuer != "batch":
        raise UsageError("--days and --yesterday choose daily RSS files, which only the pipeline batch reads")
    remote = services.settings.feeds.remote
    if not folders and not remote:
        raise UsageError(
            "say where the daily files are: set feeds.remote, or name a folder, as https://HOST/rss or s3://BUCKET/FOLDER"
        )
    return queuers.daily_files(folders or [f"{remote.rstrip('/')}/rss"], utc_now().date(), days)


def _warn_of_first_copies(services: program.Services, pipeline: pipelines.Pipeline, index: str | None) -> None:
    """Whoever parses an archive again wants to see what the new parser finds, and would wonder why nothing changes."""
    if pipeline.queuer == "reparse" and index is None and services.index.count(queries.EVERYTHING):
        err.print(
            "WARNING: the index keeps the first copy of a story, so stories that it has already stay as they are. "
            "To index what is found now, add `--index index-2`.",
            style="bold red",
        )


def _print_json(tally: queuers.Tally, outcome: _Outcome) -> None:
    fields: dict[str, Any] = {
        name: getattr(tally, name) for name in ("files", "finished", "skipped", "changed", "failed", "stories")
    }
    fields |= asdict(outcome.ran) | {"waiting": outcome.waiting, "later": asdict(outcome.later)}
    fields |= {"problems": dict(tally.problems)}
    show([fields | {"examples": [asdict(example) for example in tally.examples]}], {}, form="jsonl")


def _print(tally: queuers.Tally, outcome: _Outcome, *, dry_run: bool, queue_only: bool) -> None:
    ran = outcome.ran
    done = "would be queued" if dry_run else "queued"
    out.print(f"{how_many(tally.stories, 'story')} {done} from {tally.finished:,} of {how_many(tally.files, 'file')}")
    if tally.skipped:
        out.print(
            f"{how_many(tally.skipped, 'file')} finished before or taken by another queuer (--force takes finished ones again)"
        )
    for reason, count in tally.problems.most_common():
        out.print(f"  {count:>7,}  {reason}")
    if not dry_run and not queue_only:
        out.print(f"{ran.indexed:,} indexed, {ran.archived:,} archived")
        print_left_out({"dropped": ran.dropped, "in quarantine": ran.quarantined})
        print_quarantines(ran.in_quarantine)
    print_later_tries(outcome.later)
    for example in tally.examples[:20]:
        err.print(f"{example.file}:{example.line}: {example.reason}: {example.detail}")
    if len(tally.examples) >= queuers.MAX_PROBLEMS_KEPT:
        err.print("…")

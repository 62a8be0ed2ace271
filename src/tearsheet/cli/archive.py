"""`tearsheet archive`: look at the archive, check it, take stories out, pack and copy them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tearsheet.app import Services
from tearsheet.archive import (
    INGESTED,
    Outbox,
    Problem,
    StoredCapture,
    Verdict,
    index_file,
    recover,
    story_to_json,
    verify_file,
    write_wacz,
)
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.replay_server import serve_capture
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.files import storage_errors
from tearsheet.query import parse_query

app = typer.Typer(help="Look at the archive, check it, take stories out, pack and copy them.", no_args_is_help=True)
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON.")]
CaptureArgument = Annotated[
    str, typer.Argument(help="A story's id, its id in the index, or its address.", metavar="STORY", show_default=False)
]
_PAGE = 200


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="archive")


def _folder(services: Services) -> Path:
    return services.settings.path(services.settings.archive.folder)


@app.command("list")
@reports_errors
def list_files(
    limit: Annotated[int, typer.Option(help="How many files.")] = 20,
    json: JsonOption = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="As JSON lines.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV.")] = False,
) -> None:
    """List the newest WARC files, and how far their copies are."""
    form = output_form(json, jsonl, csv)
    with services_for() as services:
        files = services.archive.newest_files(limit)
        columns = {"name": "file", "stories": "stories", "size": "bytes", "created": "created", "local": "here"}
        show([{**asdict(file), "created": file.created.isoformat()} for file in files], columns, form=form)
        if form == "table":
            totals = services.archive.totals()
            out.print(f"{totals.files:,} files, {totals.stories:,} stories, {totals.size:,} bytes")
            for state in Outbox(services.database).states():
                out.print(
                    f"{state.store}: {state.done:,} copied, {state.waiting:,} waiting {state.error}", markup=False
                )


@app.command()
@reports_errors
def verify(
    files: Annotated[
        list[Path] | None, typer.Argument(help="WARC files; every registered one when none is named.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Re-read WARC files and check every digest, offset and story of them. Ends with 3 when something does not hold."""
    with services_for() as services:
        verdicts = list(_verdicts(services, files))
    problems = [problem for verdict in verdicts for problem in verdict.problems]
    if json:
        show(verdicts, {}, form="json")
    else:
        columns = {"file": "file", "offset": "at", "what": "what does not hold"}
        if problems:
            show(problems, columns)
        stories = sum(verdict.stories for verdict in verdicts)
        records = sum(verdict.records for verdict in verdicts)
        out.print(f"{len(verdicts):,} files, {stories:,} stories, {records:,} records read, {len(problems):,} problems")
    if problems:
        raise PartialFailure(f"{len(problems):,} things do not hold in {len({p.file for p in problems}):,} files")


def _verdicts(services: Services, paths: list[Path] | None) -> Iterator[Verdict]:
    if paths:
        for path in paths:
            stored = services.archive.file(path.name)
            captures = services.archive.captures_of_file(stored.id) if stored else ()
            yield verify_file(path, stored, captures)
        return
    access = services.archive_access
    for file in services.archive.files():
        path = file.local_path(_folder(services))
        if file.local or path.is_file():
            yield verify_file(path, file, services.archive.captures_of_file(file.id))
            continue
        try:
            with access.local_file(file) as copy:
                verdict = verify_file(copy, file, services.archive.captures_of_file(file.id), with_cdxj=False)
        except NotFoundError as error:
            verdict = Verdict(file.name, problems=[Problem(file.name, str(error))])
        verdict.file = file.name
        yield verdict


@app.command()
@reports_errors
def extract(
    story: CaptureArgument,
    html: Annotated[bool, typer.Option("--html", help="The page as it was received, instead of the metadata.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
) -> None:
    """Give one story back: its metadata as JSON, or its page."""
    with services_for() as services:
        access = services.archive_access
        found = access.read(access.find(story)).story
    data = (found.raw_html.html or b"") if html else story_to_json(found, id_in_record=False) + b"\n"
    if output:
        with storage_errors(f"cannot write {output}"):
            output.write_bytes(data)
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@app.command()
@reports_errors
def replay(
    story: CaptureArgument,
    port: Annotated[int, typer.Option(help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
) -> None:
    """Serve one captured page on this machine, in a frame in which it can do nothing, until interrupted.

    A document of `tearsheet ingest` is shown with its pictures and styles, from the archive.
    """
    with services_for() as services:
        access = services.archive_access
        capture = access.find(story)
        entry, whole = access.read(capture), services.ingest.replay.page(capture)
    serve_capture(entry, whole, port, lambda url: out.print(f"{entry.uri} as captured: {url}", markup=False))


@app.command()
@reports_errors
def index(
    files: Annotated[list[Path] | None, typer.Argument(help="WARC files of others.", show_default=False)] = None,
    json: JsonOption = False,
) -> None:
    """Take in WARC files of others, which stay where they are; without files, whatever lies unregistered in the archive."""
    with services_for() as services:
        if not files:
            done = recover(_folder(services), services.archive)
            out.print(f"{len(done.registered):,} files registered, {len(done.removed):,} leftovers removed")
            return
        taken = [index_file(path, services.archive, _folder(services)) for path in files]
    columns = {"file": "file", "captures": "captures", "bad": "could not be used"}
    rows = [{**asdict(one), "bad": len(one.damages)} for one in taken]
    show(rows, columns, form=output_form(json, False, False))


@app.command()
@reports_errors
def wacz(
    query: Annotated[str | None, typer.Argument(help="Stories to pack, as in `tearsheet search`.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("stories.wacz"),
    stories: Annotated[
        Path | None, typer.Option(help="A file with story ids, ids of the index or addresses, one a line; - for stdin.")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="The stories of this topic.", metavar="NAME")] = None,
    limit: Annotated[int, typer.Option(help="How many stories at most.")] = 10_000,
    title: Annotated[str, typer.Option(help="Title of the collection.")] = "",
) -> None:
    """Pack the captures of a query, a topic or a list of stories into a WACZ, which ReplayWeb.page opens.

    Documents of `tearsheet ingest` come with their pictures and styles.
    """
    if sum(choice is not None for choice in (query, stories, topic)) != 1:
        raise UsageError("give either a query, --topic NAME or --stories FILE")
    with services_for() as services:
        if topic is not None:
            found, about = _of_topic(services, topic, limit)
            title = title or topic
        elif stories is not None:
            found, about = _of_list(services, stories, limit), ""
        else:
            found, about = list(_of_query(services, query or "", limit)), query or ""
        parts = [part for capture in found for part in _parts(services, capture)]
        packed = write_wacz(output, found, services.archive_access, parts=parts, title=title, description=about)
    out.print(f"{packed.path}: {packed.pages:,} pages, {packed.size:,} bytes", markup=False)
    if packed.missing:
        raise PartialFailure(f"{len(packed.missing):,} captures could not be read: `tearsheet archive verify` says why")


def _of_query(services: Services, query: str, limit: int) -> Iterable[StoredCapture]:
    parsed = parse_query(query)
    token: str | None = None
    left = limit
    while left > 0:
        page = services.index.search(parsed, limit=min(left, _PAGE), token=token, text=False)
        by_story = services.archive.captures_of_stories([story.story_id for story in page.stories])
        by_index = services.archive.captures_of_index_ids(
            [story.id for story in page.stories if story.story_id not in by_story]
        )
        for story in page.stories:
            capture = by_story.get(story.story_id) or by_index.get(story.id)
            if capture is not None:
                yield capture
        left -= len(page.stories)
        token = page.next_token
        if token is None:
            return


def _of_topic(services: Services, name: str, limit: int) -> tuple[list[StoredCapture], str]:
    """The captures of a topic's stories, and its query. Says on stderr how many were read for the topic and never archived."""
    from tearsheet.topics import find_topic, story_ids  # only few who use the archive have topics

    topic = find_topic(services.database, name)
    ids = story_ids(services.database, topic.id)[:limit]
    found = services.archive.captures_of_index_ids(ids)
    _say_missing(len(ids) - len(found), len(ids), "the topic")
    return list(found.values()), topic.query


def _parts(services: Services, capture: StoredCapture) -> list[StoredCapture]:
    """What an ingested document brought along. Other captures stand alone, and are not looked up."""
    return services.ingest.replay.parts(capture) if capture.file.name.startswith(f"{INGESTED}-") else []


def _of_list(services: Services, path: Path, limit: int) -> list[StoredCapture]:
    """The captures that a list names. Says on stderr how many there are not."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    lines = [line.strip() for line in text.splitlines() if line.strip()][:limit]
    found = [capture for line in lines if (capture := services.archive.find_capture(line)) is not None]
    _say_missing(len(lines) - len(found), len(lines), "the list")
    return found


def _say_missing(missing: int, of: int, whose: str) -> None:
    if missing:
        err.print(f"{missing:,} of {of:,} stories of {whose} are not in the archive and are left out")


@app.command()
@reports_errors
def upload(
    now: Annotated[bool, typer.Option("--now", help="Do not wait for the pauses after failures.")] = False,
    json: JsonOption = False,
) -> None:
    """Copy finished files to every blob store of the settings, and prove each copy. Ends with 3 when one failed."""
    with services_for() as services:
        if not services.archive_stores:
            raise UsageError("there is no store to copy to: set archive.stores (`tearsheet config show`)")
        with services.exclusive("upload"):
            report = services.uploader.run(all_now=now)
        states = Outbox(services.database).states()
    columns = {"store": "store", "done": "copied", "waiting": "waiting", "error": "error"}
    show(states, columns, form=output_form(json, False, False))
    if report.failures:
        raise PartialFailure(f"{len(report.failures):,} copies failed and will be tried again: {report.failures[0]}")

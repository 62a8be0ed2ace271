"""`tearsheet archive`: look at the archive, check it, take stories out, pack and copy them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import archive as archives
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.filters import question_of
from tearsheet.cli.options import LAST_PORT, CsvOption, JsonlOption, JsonOption, lines_of, moment_of
from tearsheet.cli.pace import counted, measured
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.files import output_file, storage_errors

_MAX_SHOWN = 20
app = typer.Typer(help="Look at the archive, check it, take stories out, pack and copy them.", no_args_is_help=True)
CaptureArgument = Annotated[
    str,
    typer.Argument(
        help="A story's id, its id in the index, its address, or FILE:OFFSET.", metavar="STORY", show_default=False
    ),
]
AtOption = Annotated[
    str, typer.Option("--at", help="Of several captures of an address, the one nearest to this time.", metavar="TIME")
]


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    parent.add_typer(app, name="archive")


@app.command("list")
@reports_errors
def list_files(
    limit: Annotated[int, typer.Option(help="How many files.")] = 20,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List the newest WARC files, and how far copying them has got."""
    form = output_form(json, jsonl, csv)
    with services_for() as services:
        files = services.archive.newest_files(limit)
        columns = {"name": "file", "stories": "stories", "size": "bytes", "created": "created", "local": "here"}
        show([{**asdict(file), "created": file.created.isoformat()} for file in files], columns, form=form)
        if form == "table":
            totals = services.archive.totals()
            out.print(f"{how_many(totals.files, 'file')}, {how_many(totals.stories, 'story')}, {totals.size:,} bytes")
            for state in archives.Outbox(services.database).states():
                out.print(f"{state.store}: {state.done:,} copied, {state.waiting:,} waiting {state.error}")
        if unknown := program.still_unregistered(services):
            err.print(
                f"{how_many(len(unknown), 'file', 'is')} not registered and not listed; `tearsheet archive index` does that"
            )


@app.command()
@reports_errors
def verify(
    files: Annotated[
        list[Path] | None, typer.Argument(help="WARC files; all of the archive when none is named.")
    ] = None,
    copies: Annotated[
        bool, typer.Option("--copies", help="Re-read the copies in the stores of archive.stores, instead of the files.")
    ] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Re-read WARC files and check every digest, offset and story of them. Ends with 3 when something does not hold.

    With --copies, a copy that is gone or has changed is made again by the next `tearsheet archive upload`.
    """
    if copies and files:
        raise UsageError("--copies is about all copies: name no files")
    with services_for() as services:
        if copies:
            found, of = _verify_copies(services)
        else:
            of = len(files) if files else services.archive.totals().files
            found = _verify_named(services, files) if files else program.verify_archive(services)
        verdicts = list(counted(found, "files read", of))
    problems = [problem for verdict in verdicts for problem in verdict.problems]
    if json or jsonl:
        show(verdicts, {}, form=output_form(json, jsonl, False))
    else:
        columns = {"file": "file", "offset": "at", "what": "what does not hold"}
        if problems:
            show(problems, columns)
        stories = sum(verdict.stories for verdict in verdicts)
        records = sum(verdict.records for verdict in verdicts)
        files_read = f"{how_many(len(verdicts), 'file')}, {how_many(stories, 'story')}, {how_many(records, 'record')}"
        read = how_many(len(verdicts), "copy") if copies else files_read
        out.print(f"{read} read, {how_many(len(problems), 'problem')}")
    if problems:
        raise PartialFailure(
            f"{how_many(len(problems), 'thing', 'does')} not hold, in {how_many(len({p.file for p in problems}), 'file')}"
        )


def _verify_copies(services: program.Services) -> tuple[Iterator[archives.Verdict], int]:
    """What is wrong with the copies, and how many there are."""
    outbox = archives.Outbox(services.database)
    if not services.archive_stores:
        raise UsageError("there is no store with copies: set archive.stores (`tearsheet config show`)")
    of = sum(len(outbox.newest_copies(name)) for name in services.archive_stores)
    if not of:
        raise NotFoundError("no copy was made yet: `tearsheet archive upload` makes them")
    return archives.verify_copies(outbox, services.captures.copies, services.archive_stores), of


def _verify_named(services: program.Services, paths: list[Path]) -> Iterator[archives.Verdict]:
    for path in paths:
        stored = services.archive.file(path.name)
        captures = services.archive.captures_of_file(stored.id) if stored else ()
        yield archives.verify_file(path, stored, captures)


@app.command()
@reports_errors
def extract(
    story: CaptureArgument,
    html: Annotated[bool, typer.Option("--html", help="The page as it was received, instead of the metadata.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to a file.")] = None,
    at: AtOption = "",
) -> None:
    """Give one story back: its metadata as JSON, or its page."""
    with services_for() as services:
        found = services.captures.read(services.captures.find(story, moment_of(at))).story
    data = (found.raw_html.html or b"") if html else archives.story_to_json(found, id_in_record=False) + b"\n"
    if output:
        with storage_errors(f"cannot write {output}"), output_file(output) as file:
            file.write(data)
        err.print(f"{output} written")
    else:
        write_out([data])


@app.command()
@reports_errors
def replay(
    story: CaptureArgument,
    port: Annotated[int, typer.Option(help="Port of 127.0.0.1; 0 takes a free one.", max=LAST_PORT)] = 0,
    at: AtOption = "",
) -> None:
    """Serve one captured page on this machine, in a frame that lets it do nothing, until interrupted.

    A document of `tearsheet ingest` is shown with its pictures and styles, from the archive.
    """
    from tearsheet.cli.replay_server import serve_capture  # slow to import, and no other command needs it

    with services_for() as services:
        capture = services.captures.find(story, moment_of(at))
        archived, document = services.captures.read(capture), services.ingest.replay.document(capture)
        shown = services.shown.capture(archived) if document is None else services.shown.document(document)
    serve_capture(archived, shown, port, lambda url: out.print(f"{archived.uri} as captured: {url}"))


@app.command()
@reports_errors
def index(
    files: Annotated[list[Path] | None, typer.Argument(help="Other people's WARC files.", show_default=False)] = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Index other people's WARC files, which stay where they are; without files, those of the archive not yet registered.

    Without files it also reads the addresses from files that an earlier version registered, once; that can be interrupted.
    """
    with services_for(begins=bool(files)) as services:
        if not files:
            done = archives.recover(services.archive_folder, services.archive)
            out.print(
                f"{how_many(len(done.registered), 'file')} registered, {how_many(len(done.removed), 'leftover')} removed"
            )
            for damage in done.damaged[:_MAX_SHOWN]:
                err.print(damage)
            _read_addresses(services)
            if done.damaged:
                raise PartialFailure(
                    f"{how_many(len(done.damaged), 'damaged part')} in these files: bring them back from a copy or a backup"
                )
            return
        indexed = [archives.index_file(path, services.archive, services.archive_folder) for path in files]
    columns = {"file": "file", "captures": "captures", "bad": "could not be used"}
    rows = [{**asdict(one), "bad": len(one.damages)} for one in indexed]
    show(rows, columns, form=output_form(json, jsonl, False))
    _say_damages(indexed)


def _read_addresses(services: program.Services) -> None:
    known_by = archives.KnownBy(services.database)
    if not (unread := known_by.count_unread()):
        return
    problems = program.read_unread(services, measured("files of an earlier version read"))
    left = known_by.count_unread()
    out.print(f"addresses read from {how_many(unread - left, 'file')} of an earlier version, {left:,} left")
    for problem in problems[:_MAX_SHOWN]:
        err.print(problem)
    if left:
        raise PartialFailure(
            f"{how_many(left, 'file')} could not be read: bring them back and repeat this (`tearsheet archive verify` says which)"
        )


def _say_damages(indexed: list[archives.Indexed]) -> None:
    """Raise PartialFailure when a file was not indexed whole."""
    for one in indexed:
        for damage in one.damages[:_MAX_SHOWN]:
            err.print(f"{one.file}: byte {damage.offset}: {damage.what}")
        if not one.captures and not one.damages:
            err.print(f"{one.file}: byte 0: there is no page in it")
    bad = [one for one in indexed if one.damages or not one.captures]
    if bad:
        raise PartialFailure(
            f"{len(bad):,} of {how_many(len(indexed), 'file')} could not be indexed completely: see above"
        )


@app.command()
@reports_errors
def wacz(
    query: Annotated[str | None, typer.Argument(help="Stories to pack, as in `tearsheet search`.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("stories.wacz"),
    stories: Annotated[
        Path | None,
        typer.Option(help="A file with story ids, ids of the index or addresses, one per line; - for stdin."),
    ] = None,
    topic: Annotated[
        str | None, typer.Option(help="The stories of this topic.", metavar="NAME", autocompletion=names_of("topics"))
    ] = None,
    limit: Annotated[int, typer.Option(help="How many stories at most.")] = 10_000,
    title: Annotated[str, typer.Option(help="Title of the collection.")] = "",
) -> None:
    """Pack the captures of a query, a topic or a list of stories into a WACZ, which ReplayWeb.page opens.

    Documents of `tearsheet ingest` come with their pictures and styles. Ends with 3 when a capture could not be read, or a
    story of the topic is not in the archive.
    """
    if sum(choice is not None for choice in (query, stories, topic)) != 1:
        raise UsageError("give either a query, --topic NAME or --stories FILE")
    with services_for() as services:
        if topic is not None:
            chosen, whose = program.chosen_by_topic(services, topic, limit), "the topic"
        elif stories is not None:
            chosen, whose = program.chosen_by_names(services.captures, lines_of(stories)[:limit]), "the list"
        else:
            chosen, whose = (
                program.chosen_by_query(services, program.ask(services, question_of(query or "")).query, limit),
                "the query",
            )
        if chosen.missing:
            asked = chosen.missing + len(chosen.captures)
            some = f", such as {' and '.join(chosen.missed)}" if chosen.missed else ""
            err.print(
                f"not in the archive, and left out: {chosen.missing:,} of {how_many(asked, 'story')} of {whose}{some}"
            )
        packed = program.pack(services, output, chosen, title or topic or "", measured("captures"))
    out.print(f"{packed.path}: {how_many(packed.pages, 'page')}, {packed.size:,} bytes")
    if packed.missing:
        raise PartialFailure(
            f"{how_many(len(packed.missing), 'capture')} could not be read: `tearsheet archive verify` says why"
        )
    if topic is not None and chosen.missing:
        raise PartialFailure(
            f"{how_many(chosen.missing, 'story')} of the topic could not be packed: no page of it is archived"
        )


@app.command()
@reports_errors
def upload(
    now: Annotated[bool, typer.Option("--now", help="Do not wait out the pauses after failures.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Copy finished files to every blob store of the settings, and prove each copy. Ends with 3 when one failed.

    With --now it also looks at stores for which nothing waits, and ends with 3 when one is not where it was.
    """
    with services_for() as services:
        if not services.archive_stores:
            raise UsageError("there is no store to copy to: set archive.stores (`tearsheet config show`)")
        with services.exclusive("upload"):
            report = services.uploader.run(all_now=now, progress=measured("copies"))
        states = archives.Outbox(services.database).states()
    columns = {"store": "store", "done": "copied", "waiting": "waiting", "error": "error"}
    show(states, columns, form=output_form(json, jsonl, False))
    if report.failures:
        raise PartialFailure(
            f"{how_many(len(report.failures), 'copy')} failed and will be tried again: {report.failures[0]}"
        )
    if report.away:
        raise PartialFailure(f"everything had been copied, but {report.away[0]}")


@app.command()
@reports_errors
def forget(store: Annotated[str, typer.Argument(help="A store, as `tearsheet archive list` names it.")]) -> None:
    """Forget which files a store has, because it was lost or emptied. Nothing is deleted.

    The copies are made again by the next upload. Those that turn out to be there still are read and count again.
    """
    with services_for() as services:
        outbox = archives.Outbox(services.database)
        known = [state.store for state in outbox.states()]
        name = store if store in known else archives.store_name(store)
        if name not in known:
            raise NotFoundError(f"no copies went to {name}; `tearsheet archive list` names the stores")
        forgotten = outbox.doubt(name, datetime.now(UTC), "forgotten")
        archives.Tombstones(services.database).forget_store(name)
        only = len(outbox.without_copy())
    out.print(f"{how_many(forgotten, 'copy')} in {name} {'is' if forgotten == 1 else 'are'} to be made or proved again")
    if only:
        raise PartialFailure(
            f"{how_many(only, 'file', 'is')} now neither here nor in any store that we know: {name} may have the only copies"
        )

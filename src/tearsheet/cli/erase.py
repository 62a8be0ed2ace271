"""`tearsheet erase`: erase stories for good, and show what was erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tearsheet import app as program
from tearsheet import archive as archives
from tearsheet.cli.context import Globals, err, out, output_form, reports_errors, services_for, show
from tearsheet.cli.filters import CollectionOption, FromOption, LanguageOption, SourceOption, ToOption, question_of
from tearsheet.cli.options import JsonlOption, JsonOption, YesOption, confirm, lines_of
from tearsheet.cli.pace import measured
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.terminal import clean_line

if TYPE_CHECKING:
    from tearsheet.app import Services
_SHOWN = 10


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command("erase")(erase_stories)


@reports_errors
def erase_stories(
    addresses: Annotated[
        list[str] | None, typer.Argument(help="Addresses of the stories.", metavar="ADDRESS", show_default=False)
    ] = None,
    list_file: Annotated[
        Path | None, typer.Option("--list", help="A file with addresses, one per line; - for stdin.", metavar="FILE")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="The stories that match, as in `tearsheet search`.", metavar="QUERY")
    ] = None,
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    start: FromOption = "",
    end: ToOption = "",
    reason: Annotated[
        str, typer.Option("--reason", help="Why: kept in the tombstones and in the ledger.", metavar="TEXT")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be erased, and where.")] = False,
    go_on: Annotated[bool, typer.Option("--resume", help="Finish what was interrupted or out of reach.")] = False,
    done: Annotated[bool, typer.Option("--show", help="Show what was erased, of all or of these addresses.")] = False,
    yes: YesOption = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Erase stories for good: from index, archive, pages, feeds, topics, ingested documents and queues; they stay away.

    Only a backup brings them back. A source alone (--source) means everything of that source. Stop `run` and workers first. Ends
    with 3 when a copy could not be reached; the next `tearsheet erase` goes on with it.
    """
    form = output_form(json, jsonl, False)
    with services_for() as services:
        if done:
            _show_erased(services, addresses or [], form)
            return
        if go_on:
            with _told_how_to_go_on(services):
                _finish(program.resume(services, _say()), form)
            return
        named = program.named_addresses([*(addresses or []), *(lines_of(list_file) if list_file else [])])
        if query is not None or source or collection:
            asked = question_of(
                query or "*", start=start, end=end, sources=source, collections=collection, languages=language
            )
            only_source = (query or "*") == "*" and not (start or end or language or collection)
            domains = [one.lower() for one in source or []] if only_source else []
            named |= program.matching_addresses(services, program.ask(services, asked).query, domains)
        elif not named:
            raise UsageError("say what to erase: an ADDRESS, --list FILE, --query QUERY or --source NAME")
        if not dry_run and not reason.strip():
            raise UsageError("--reason is missing: say why, for those who ask later")
        if len(reason) > archives.MAX_REASON:
            raise UsageError(f"--reason: at most {archives.MAX_REASON} characters")
        _erase(services, named, reason.strip(), dry_run, yes, form)


def _erase(services: Services, named: dict[str, str], reason: str, dry_run: bool, yes: bool, form: str) -> None:
    program.read_unread(services, measured("archive files of an earlier version read"))
    everything = program.every_address(services, named)
    found = program.rehearse(services, everything)
    if dry_run:
        _show_report(
            found,
            form,
            f"{how_many(len(named), 'story')} would be erased, known by {how_many(len(everything), 'address')}:",
        )
    if dry_run and found.problems:
        raise PartialFailure(f"there may be more, which could not be reached: {found.problems[0]}")
    if not found.total and not services.erased.unfinished_with(everything) and not found.problems:
        raise NotFoundError(f"nothing is kept of this{_first(named)}: take the address that `tearsheet search` shows")
    if dry_run:
        return
    if not yes:
        _show_report(
            found, "table", f"To be erased ({how_many(len(everything), 'address')}), and not to be brought back:"
        )
    confirm(f"Erase {how_many(len(named), 'story')}{_first(named)}?", yes)
    with _told_how_to_go_on(services):
        _finish(program.erase(services, reason, everything, _say()), form)


@contextmanager
def _told_how_to_go_on(services: Services) -> Iterator[None]:
    """Whoever interrupts an erasure is told that it is not finished."""
    try:
        yield
    except KeyboardInterrupt:
        if services.erased.unfinished():
            err.print(
                "interrupted: the stories are kept away, but not all is erased; `tearsheet erase --resume` goes on"
            )
        raise


def _first(named: dict[str, str]) -> str:
    urls = list(named.values())
    return f" ({clean_line(urls[0])[:200]}{', …' if len(urls) > 1 else ''})" if urls else ""


def _finish(report: program.Report, form: str) -> None:
    if form == "table" and not report.addresses and not report.total and not report.problems:
        out.print("There is nothing left to erase.")
        return
    stay = "stays" if report.addresses == 1 else "stay"
    erased = f"{how_many(report.addresses, 'address', 'was')} erased, and {stay} away:"
    _show_report(
        report, form, erased if report.addresses else "What was erased before was taken out of what came back:"
    )
    if report.addresses:
        err.print("What you exported to other places, and backups made before, still have it: look there yourself.")
    if report.problems:
        raise PartialFailure(
            f"{how_many(len(report.problems), 'place')} could not be reached; `tearsheet erase --resume` takes them up: "
            f"{report.problems[0]}"
        )


def _show_report(report: program.Report, form: str, title: str) -> None:
    columns = {"place": "place", "what": "what", "count": "count"}
    if form == "table":
        out.print(title)
    show([one for one in report.found if one.count or form != "table"], columns, form=form, empty="nothing")
    for line in [*report.problems[:_SHOWN], *report.notes[:_SHOWN]]:
        err.print(line)


def _show_erased(services: Services, addresses: list[str], form: str) -> None:
    tombstones = archives.Tombstones(services.database)
    if addresses:
        keys = program.named_addresses(addresses)
        listed = services.erased.among(keys)
        if not listed:
            raise NotFoundError(f"none of these was erased{_first(keys)}")
        columns = {"erased": "erased", "reason": "reason", "captured": "captured", "sha256": "digest of the page"}
        columns["file"] = "file"
        rows = [
            {**row, "erased": f"{row['erased']:%Y-%m-%d}", "captured": f"{row['captured']:%Y-%m-%d}"}
            for row in map(asdict, tombstones.of(listed))
        ]
        show(rows, columns, form=form, empty="erased; there was no capture of it in the archive")
        return
    columns = {"id": "erasure", "started": "began", "finished": "finished", "reason": "reason"}
    columns |= {"addresses": "addresses", "captures": "captures"}
    show(tombstones.erasures(), columns, form=form, empty="nothing was erased")


def _say() -> Callable[[str], None]:
    """Tells each step on a terminal."""

    def say(step: str) -> None:
        if not Globals.quiet and err.is_terminal:
            err.print(f"{step} …")

    return say

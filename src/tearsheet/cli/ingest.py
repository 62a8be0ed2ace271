"""`tearsheet ingest`: capture single web documents deeply, and say what they are."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import ingest as ingesting
from tearsheet.cli.context import out, print_out, reports_errors, services_for, show
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.tables import utf8_text


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(ingest)


@reports_errors
def ingest(
    urls: Annotated[
        list[str] | None,
        typer.Argument(help="Addresses of documents; with --hide or --unhide also SHA-1s.", metavar="URL…"),
    ] = None,
    requests: Annotated[
        Path | None, typer.Option(help="A file of ingest requests, one JSON object per line; `-` is stdin.")
    ] = None,
    force_recrawl: Annotated[
        bool, typer.Option("--force-recrawl", help="Capture documents again even if they have not changed.")
    ] = False,
    queue: Annotated[
        bool, typer.Option("--queue", help="Only put the requests into their topic, for `tearsheet worker ingest`.")
    ] = False,
    hide: Annotated[
        bool, typer.Option("--hide", help="Ingest nothing: keep the captures of these documents out of all lookups.")
    ] = False,
    unhide: Annotated[bool, typer.Option("--unhide", help="Let hidden captures of these documents back in.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Whole results, also on a terminal, with line breaks.")] = False,
) -> None:
    """Capture web documents whole: hops, metadata, text, pictures and styles. One JSON result per line; in short on a terminal.

    Each result is kept in the database, its text in the blob store, and everything that was received in the archive.
    """
    if hide or unhide:
        _hide(urls or [], hide, unhide)
        return
    wanted = _requests(urls or [], requests, force_recrawl)
    with services_for(begins=True) as services:
        if queue:
            services.ingest.queue(wanted)
            out.print(f"{how_many(len(wanted), 'request', 'is')} queued for `tearsheet worker ingest`")
            return
        show_one = _print_short if out.is_terminal and not json_ else partial(_print, indent=2 if json_ else None)
        missed = services.ingest.ingest(wanted, show_one, _telling(len(wanted)))
    if missed:
        raise PartialFailure(f"not full text, or not fetched: {missed:,} of {how_many(len(wanted), 'document')}")


def _print(result: ingesting.IngestWebResult, indent: int | None) -> None:
    print_out(json.dumps(ingesting.result_json(result), ensure_ascii=False, indent=indent))


def _print_short(result: ingesting.IngestWebResult) -> None:
    """What people want to know of a result: what became of the document, and where it is."""
    resources = result.html_resources or []
    words = result.html_body.word_count if result.html_body else None
    missing = sum(resource.status != "success" for resource in resources)
    facts = {
        "document": result.hops[-1] if result.hops else (result.request or {}).get("base_url"),
        "status": result.status,
        "why": result.error_message,
        "title": result.html_biblio.title if result.html_biblio else None,
        "text": words and how_many(words, "word"),
        "with it": resources
        and f"{how_many(len(resources), 'resource')}{f', {missing:,} of them missing' if missing else ''}",
        "archived": result.cdx.warc_path if result.cdx else None,
    }
    show([{"what": what, "value": value} for what, value in facts.items() if value], {"what": "", "value": ""})
    out.print()


def _telling(documents: int) -> Callable[[int], None]:
    say, started = said_now_and_then(), time.monotonic()
    wanted = how_many(documents, "document")
    return lambda done: say(f"{done:,} of {wanted} captured; {time.monotonic() - started:.0f} s so far")


def _hide(keys: Sequence[str], hide: bool, unhide: bool) -> None:
    if hide == unhide or not keys:
        raise UsageError("give --hide or --unhide, with the addresses or SHA-1s of documents")
    with services_for() as services:
        count = services.ingest.hide(keys, hide=hide)
    out.print(f"{how_many(count, 'capture', 'is')} {'hidden, and still in the archive' if hide else 'found again'}")


def _requests(urls: Sequence[str], path: Path | None, force_recrawl: bool) -> list[ingesting.IngestRequest]:
    wanted = [ingesting.request_for(url, force_recrawl=force_recrawl) for url in urls]
    if path is not None:
        wanted += list(_read_requests(path, force_recrawl))
    if not wanted:
        raise UsageError("give addresses, or a file of requests with --requests")
    return wanted


def _read_requests(path: Path, force_recrawl: bool) -> Iterator[ingesting.IngestRequest]:
    try:
        text = typer.get_text_stream("stdin").read() if str(path) == "-" else utf8_text(path.read_bytes())
    except (OSError, UnicodeDecodeError, UsageError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    if not text.strip():
        raise UsageError(f"{path}: line 1: there is no request in it")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            yield ingesting.read_request(value | {"force_recrawl": True} if force_recrawl else value)
        except (ValueError, TypeError, RecursionError, UsageError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from error

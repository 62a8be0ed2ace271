"""`tearsheet cite`: results that can be repeated and cited."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tearsheet.cli.context import out, reports_errors, services_for
from tearsheet.cli.filters import (
    AsOfOption,
    CollectionOption,
    Filters,
    FromOption,
    LanguageOption,
    SourceOption,
    ToOption,
    read_moment,
)
from tearsheet.clock import utc_now
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.index import Citation, Result, result_of, sentence


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(cite)


@reports_errors
def cite(
    query: Annotated[str, typer.Argument(help="A query, as for `search`.", metavar="QUERY")] = "",
    start: FromOption = "",
    end: ToOption = "",
    source: SourceOption = None,
    collection: CollectionOption = None,
    language: LanguageOption = None,
    as_of: AsOfOption = "",
    check: Annotated[
        Path | None, typer.Option(help="A citation written with --json: find its stories again and compare.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for --check and for your archive.")] = False,
) -> None:
    """Describe a result so that it can be repeated and cited: what was asked, when, and a digest of the stories."""
    if check is not None:
        _check(check)
        return
    if not query:
        raise UsageError("give a query, as for `tearsheet search`, or a citation with --check FILE")
    moment = read_moment(as_of, "--as-of") if as_of else utc_now()
    until = moment.isoformat().replace("+00:00", "Z")
    filters = Filters(start, end, source or (), collection or (), language or (), until)
    citation = _cite(query, filters)
    if as_json:
        print(json.dumps(asdict(citation), ensure_ascii=False, indent=2))
        return
    out.print(sentence(citation, utc_now().date()), markup=False)
    out.print(f"\nIt means:  {citation.meaning}", markup=False)
    out.print(f"Repeat it: {citation.repeat}", markup=False)


def _cite(query: str, filters: Filters) -> Citation:
    with services_for() as services:
        asked = filters.query(query, services)
        index = services.index
        index.refresh()
        result = result_of(index, asked)
    repeat = shlex.join(["tearsheet", "search", query, *filters.options(), "--limit", "0", "--csv"])
    return Citation(query, asked.explain(), asdict(filters), result, repeat)


def _check(file: Path) -> None:
    known = _read(file)
    before, now = Result(**known["result"]), _cite(known["query"], Filters(**known["filters"])).result
    if now == before:
        out.print(f"The same {now.stories:,} stories, SHA-256 {now.sha256}", markup=False)
        return
    raise PartialFailure(
        f"not the same: {before.stories:,} stories then, {now.stories:,} now (SHA-256 {now.sha256[:12]}… instead of "
        f"{before.sha256[:12]}…); another index, or its stories were replaced or removed"
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        known = json.loads(file.read_bytes())
        Result(**known["result"]), Filters(**known["filters"]), str(known["query"])
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is not a citation; write one with `tearsheet cite QUERY --json > {file}`") from error
    return dict(known)

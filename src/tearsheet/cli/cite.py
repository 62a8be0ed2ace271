"""`tearsheet cite`: results that can be repeated and cited."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import index as answering
from tearsheet import query as queries
from tearsheet.cli.context import err, out, print_out, reports_errors, services_for
from tearsheet.cli.filters import (
    AsOfOption,
    CollectionOption,
    FromOption,
    LanguageOption,
    SourceOption,
    ToOption,
    TopicOption,
    question_of,
    why_none,
)
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure, UsageError
from tearsheet.tables import utf8_text


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
    topic: TopicOption = None,
    as_of: AsOfOption = "",
    check: Annotated[
        Path | None, typer.Option(help="A citation written with --json: find its stories again and compare.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for --check and for your archive.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="The same JSON in one line, to be added to a file.")] = False,
) -> None:
    """Describe a result so that it can be repeated and cited: what was asked, when, and a digest of the stories."""
    if check is not None:
        _check(check)
        return
    if not query:
        raise UsageError("give a query, as for `tearsheet search`, or a citation with --check FILE")
    question = question_of(
        query, start=start, end=end, sources=source, collections=collection, languages=language, topic=topic,
        as_of=as_of or utc_now().isoformat(),
    )  # fmt: skip
    citation = _cite(question)
    if as_json or jsonl:
        print_out(json.dumps(asdict(citation), ensure_ascii=False, indent=2 if as_json else None))
        return
    out.print(answering.sentence(citation, utc_now().date()))
    out.print(f"\nIt means:  {citation.meaning}")
    out.print(f"Repeat it: {citation.repeat}")


def _cite(question: answering.Question) -> answering.Citation:
    with services_for() as services:
        asked = program.ask(services, question).query
        index = program.index_for(services, question)
        index.refresh()
        result = answering.result_of(index, asked)
        if not result.stories:
            err.print(why_none(services, question))
    repeat = shlex.join(["tearsheet", "search", question.text, *question.options(), "--limit", "0", "--csv"])
    return answering.Citation(question.text, _meaning(question, asked), question.filters(), result, repeat)


def _meaning(question: answering.Question, asked: queries.Query) -> str:
    """The question in English. A topic is named: that its stories are so many says little."""
    return f"{question.explain()}." if question.topic else asked.explain()


def _check(file: Path) -> None:
    question, before = _read(file)
    now = _cite(question).result
    if now == before:
        out.print(f"The same {how_many(now.stories, 'story')}, SHA-256 {now.sha256}")
        return
    raise PartialFailure(
        f"not the same: {how_many(before.stories, 'story')} then, {now.stories:,} now (SHA-256 {now.sha256[:12]}… instead of "
        f"{before.sha256[:12]}…); another index, or its stories were replaced or removed"
    )


def _read(file: Path) -> tuple[answering.Question, answering.Result]:
    try:
        known = json.loads(utf8_text(file.read_bytes()))
        return question_of(known["query"], **known["filters"]), answering.Result(**known["result"])
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except (UsageError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "line 1"
        where = str(error).partition(":")[0] if isinstance(error, UsageError) else where
        raise UsageError(
            f"{file}: {where}: this is not a citation; write one with `tearsheet cite QUERY --json > {file}`"
        ) from error

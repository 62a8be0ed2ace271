"""The filters of a query, the same for every command that asks the index: days, sources, languages, a moment."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import index as answering
from tearsheet import query as queries
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import from_here
from tearsheet.errors import UsageError

QueryArgument = Annotated[
    str, typer.Argument(help="A query, as 'climate AND (policy OR law*)'; '*' is everything.", metavar="QUERY")
]
FromOption = Annotated[str, typer.Option("--from", help="First day of publication, YYYY-MM-DD.")]
ToOption = Annotated[str, typer.Option("--to", help="Last day of publication, YYYY-MM-DD.")]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--source", help="Only this source, as example.com; may be repeated.", autocompletion=names_of("sources")
    ),
]
CollectionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        help="Only sources of this collection, by name or id; may be repeated.",
        autocompletion=names_of("collections"),
    ),
]
LanguageOption = Annotated[
    list[str] | None, typer.Option("--language", help="Only this language, as en; may be repeated.")
]
TopicOption = Annotated[
    str | None,
    typer.Option(
        "--topic",
        help="Only stories of this topic, also those that only its spider fetched.",
        metavar="NAME",
        autocompletion=names_of("topics"),
    ),
]
AsOfOption = Annotated[
    str,
    typer.Option("--as-of", help="Only stories indexed up to this moment, as 2026-11-15T08:00:00Z: repeats a result."),
]
_NAMES = {"start": "--from", "end": "--to", "sources": "--source", "collections": "--collection"}
_NAMES |= {"languages": "--language", "topic": "--topic", "as_of": "--as-of"}


def question_of(query: str, **given: Any) -> answering.Question:
    """A question from the command line, with the parameters of `read_question`; None means that an option was not given.

    Raises UsageError.
    """
    try:
        return answering.read_question(
            query, names=_NAMES, **{name: value for name, value in given.items() if value is not None}
        )
    except queries.QueryError as error:
        raise UsageError(f"the query cannot be read: {' '.join(str(error).split())}") from error


def why_none(services: program.Services, question: answering.Question) -> str:
    """Why the question finds nothing, for people, with what is near."""
    folder = from_here(services.settings.data)
    return answering.why_no_stories(
        program.index_for(services, question),
        question,
        lambda other: program.ask(services, other),
        folder,
        lambda: program.has_archived_stories(services),
        lambda: program.has_feeds(services),
    )

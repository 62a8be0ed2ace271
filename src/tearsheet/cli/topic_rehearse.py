"""`tearsheet topic rehearse`: random matches are judged by a person, who then knows how precise the query is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tearsheet import app as program
from tearsheet import topics
from tearsheet.cli.completing import names_of
from tearsheet.cli.context import err, out, reports_errors, services_for, show
from tearsheet.cli.filters import why_none
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.cli.options import JsonOption
from tearsheet.cli.pieces import Line, Piece
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.files import output_file
from tearsheet.query import parse_query
from tearsheet.tables import csv_lines
from tearsheet.topics import rehearsal, spider

if TYPE_CHECKING:
    from tearsheet.app import Match, Rehearsed, Services
    from tearsheet.topics import Topic

_MOST = 1_000
_QUESTION = "Does it belong to the topic? y, n, s (cannot tell) or q (stop)"
_ANSWERS = {"y": True, "n": False, "s": None}
_STOP = "q"
_MARKED = "bold yellow"


@reports_errors
def rehearse(
    name: Annotated[str, typer.Argument(help="The topic's name.", metavar="NAME", autocompletion=names_of("topics"))],
    number: Annotated[
        int, typer.Option(help="How many matches to judge; 0 shows what was judged so far.", min=0, max=_MOST)
    ] = 20,
    judgements: Annotated[
        Path | None,
        typer.Option(
            help="A CSV file instead of questions: written if it is not there, and read once its column `judgement` "
            "is filled in.",
            metavar="FILE",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Judge random matches, and learn how precise the query is and which words tell the wrong ones from the right ones.

    The matches are the stories of the topic or, while it has none, those of the index. Each run goes on where the last one ended.
    """
    with services_for() as services:
        topic = topics.store.find_topic(services.database, name)
        if judgements is None:
            _ask(services, topic, number)
        elif judgements.exists():
            count = program.read_judgements(services, topic, judgements)
            err.print(f"{how_many(count, 'match', 'was')} read from {judgements}")
        else:
            _write_sheet(judgements, _to_judge(services, topic, number), topic)
            return
        done = program.judged_so_far(services, topic, said_now_and_then())
        if not done.precision.matches:
            raise NotFoundError(f"there is nothing to judge. {why_none(services, topics.seed_question(topic))}")
    if json:
        show([_as_row(topic, done)], {}, form="json")
    else:
        _print(done)


def _to_judge(services: Services, topic: Topic, number: int) -> list[Match]:
    return program.matches_to_judge(services, topic, number, said_now_and_then())


def _ask(services: Services, topic: Topic, number: int) -> None:
    """Show one match after the other and keep each answer at once. Raises UsageError when there is nobody to answer."""
    following = _to_judge(services, topic, number) if number else []
    for place, match in enumerate(following, 1):
        err.print(f"\n{place} of {len(following)}", style="dim")
        for line in _lines(match, topic):
            err.write(err.line(line))
        answer = _answer()
        if answer is None and place == 1:
            raise UsageError("there is nobody to answer: --judgements FILE.csv writes a sheet that can be filled in")
        if answer is None or answer == _STOP:
            return
        program.judge_matches(services, topic, {match.id: _ANSWERS[answer]})


def _answer() -> str | None:
    """One of the answers; None at the end of the input."""
    while True:
        try:
            said: str = typer.prompt(_QUESTION, default="", show_default=False, err=True)
        except typer.Abort as ended:
            typer.echo(err=True)  # the question stands on a line that has not ended
            if isinstance(ended.__context__, EOFError):
                return None
            raise KeyboardInterrupt from None
        if (first := said.strip()[:1].lower()) in {*_ANSWERS, _STOP} and first:
            return first


def _lines(match: Match, topic: Topic) -> Iterator[Line]:
    """A match as it is shown: title and sentence with what the query asked for, and where it was published."""
    from tearsheet.web import highlighters  # not needed for a help text

    marks = highlighters(parse_query(topic.query))
    yield _marked(match.title or "(without a title)", marks["title"].spans(match.title))
    yield [Piece(f"{match.media} · {match.day or 'no date'}", "dim")]
    sentence = _sentence(match, topic)
    if sentence:
        yield _marked(sentence, marks["text"].spans(sentence))
    yield [Piece(match.url, link=True)]


def _sentence(match: Match, topic: Topic) -> str:
    """The sentence around the first thing in the text that the query asks for; empty if it is in the title or address alone."""
    from tearsheet.web import highlighters

    found = highlighters(parse_query(topic.query))["text"].spans(match.text)
    return spider.sentence_around(match.text, *found[0]) if found else ""


def _marked(text: str, spans: Sequence[tuple[int, int]]) -> Line:
    pieces, position = [], 0
    for start, end in spans:
        pieces += [Piece(text[position:start]), Piece(text[start:end], _MARKED)]
        position = end
    return [*pieces, Piece(text[position:])]


def _write_sheet(file: Path, following: Sequence[Match], topic: Topic) -> None:
    if not following:
        raise NotFoundError("there is no match that was not judged: --number 0 shows what was judged so far")
    rows = [("", one.title, _sentence(one, topic), one.url, one.media, one.day, one.id) for one in following]
    with output_file(file) as stream:
        stream.writelines(csv_lines(rehearsal.SHEET_COLUMNS, rows, bom=True))
    out.print(
        f"{how_many(len(rows), 'match', 'is')} in {file}: write y, n or s into the column `judgement`, and type the "
        "same command again"
    )


def _print(done: Rehearsed) -> None:
    precision = done.precision
    of = "story" if done.in_topic else "match"
    whose = "of the topic" if done.in_topic else "of the index (the topic has no stories yet)"
    out.print(
        f"{precision.judged:,} of {how_many(precision.matches, of)} {whose} judged: "
        f"{how_many(precision.right, '', 'belongs')}, {how_many(precision.wrong, '', 'does')} not"
    )
    if precision.undecided:
        out.print(f"{how_many(precision.undecided, 'other', 'was')} looked at, and nobody could tell")
    if precision.share is not None:
        low, high = precision.interval
        out.print(f"precision {precision.share:.0%}, and with 95 % confidence between {low:.0%} and {high:.0%}")
    for title, rows in (("words of those that do not belong", done.of_wrong), ("of those that do", done.of_right)):
        if rows:
            out.print()
            table = [{"word": row.word, "wrong": row.first, "right": row.second, "z": f"{row.z:+.1f}"} for row in rows]
            show(table, {"word": title, "wrong": "do not", "right": "do", "z": "z"})
    if (words := [*done.of_wrong, *done.of_right]) and max(abs(row.z) for row in words) < topics.SURE:
        out.print("each of these could be chance (z below 2): judge more to be surer")
    if done.hint:
        out.print()
        out.print(
            f"a hint: {done.hint.clause} would leave out {done.hint.leaves_out:,} of the {precision.wrong:,} that do not "
            f"belong, and none of the {precision.right:,} that do; what it does to the stories that were not judged "
            "nobody has seen"
        )


def _as_row(topic: Topic, done: Rehearsed) -> dict[str, Any]:
    low, high = done.precision.interval
    words = [*done.of_wrong, *reversed(done.of_right)]
    return {
        "topic": topic.name,
        "matches": done.precision.matches,
        "of": "topic" if done.in_topic else "index",
        "judged": done.precision.judged,
        "belong": done.precision.right,
        "do_not": done.precision.wrong,
        "undecided": done.precision.undecided,
        "precision": done.precision.share,
        "low": low,
        "high": high,
        "words": [
            {"word": row.word, "wrong": row.first, "right": row.second, "log_odds": row.log_odds, "z": row.z}
            for row in words
        ],
        "hint": done.hint and {"clause": done.hint.clause, "leaves_out": done.hint.leaves_out},
    }

"""`tearsheet demo`: the real pipeline on a small newsroom that is served from this machine."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from tearsheet import app as program
from tearsheet import demo as newsrooms
from tearsheet.cli.collecting import JsonOption, OnceOption, PortOption, WebOption, collect, web_service
from tearsheet.cli.context import Globals, begin, err, from_here, reports_errors
from tearsheet.cli.program import this_program
from tearsheet.cli.progress import TopicProgress
from tearsheet.counts import how_many
from tearsheet.errors import PartialFailure
from tearsheet.settings import DEFAULT_DATA_FOLDER

SeedOption = Annotated[int, typer.Option(help="The random seed that the newsroom is generated from.")]


def register(parent: typer.Typer) -> None:
    """Add the command."""
    parent.command()(demo)


@reports_errors
def demo(
    once: OnceOption = False,
    port: PortOption = None,
    web: WebOption = None,
    json: JsonOption = False,
    seed: SeedOption = 1,
    articles: Annotated[int, typer.Option(help="How many articles the newsroom publishes.", min=40, max=100_000)] = 120,
) -> None:
    """Collect a small newsroom of invented sites, served from this machine, with everything that goes wrong on the web.

    Then one event is followed from story to story, and a map is drawn of who links to whom.
    """
    run_demo(once=once, port=port, web=not once if web is None else web, as_json=json, seed=seed, articles=articles)


def run_demo(*, once: bool, port: int | None, web: bool, as_json: bool, seed: int = 1, articles: int = 120) -> None:
    """Serve the newsroom, collect it in a separate folder, map a topic, and compare with what the newsroom expects."""
    newsroom = newsrooms.Newsroom(seed, articles=articles)
    expected = newsroom.expectation()
    with (
        newsrooms.serve_in_thread(newsroom) as server,
        program.demo_services(Globals.data, server, expected, {"web.port": port} | Globals.flags) as services,
    ):
        begin(services.settings)
        _say_hello(server, services)
        program.add_newsroom(services, server)
        with program.served_beside(web_service(services) if web else None):
            summary = collect(services, once=True, web=False, as_json=as_json, headline="demo newsroom")
            archived = services.archive.collected_stories()
            program.ingest_document(services, expected)
            _map_topic(services)
            _say_what_to_type(newsroom, once=once)
            if not once:
                collect(services, once=False, web=False, as_json=as_json, headline="demo newsroom")
    if once and (found := program.differences(expected, summary, archived)):
        raise PartialFailure("the demo did not end as the newsroom expects: " + "; ".join(found))


def _map_topic(services: program.Services) -> None:
    begin = f"The topic “{program.TOPIC}”: following the links of its stories …"
    drawn = program.map_topic(services, TopicProgress(), lambda: err.print(begin))
    figures = (
        f"{how_many(drawn.stories, 'story')} of {how_many(drawn.sources, 'source')}, {how_many(drawn.links, 'link')}"
    )
    err.print(f"The topic:     {figures} between them; map and tables: {from_here(drawn.folder / 'index.html')}")


def _say_hello(server: newsrooms.NewsroomServer, services: program.Services) -> None:
    sites = len({feed.url.split("/")[2] for feed in server.feed_urls()})
    err.print(f"The newsroom:  {sites} invented sites at {server.address}/")
    err.print(f"Data folder:   {from_here(services.settings.data)}")


def next_commands(last_day: date) -> dict[str, str]:
    """What to type next, and what it shows. Each finds something in the demo."""
    return {
        "search 'bridge AND ferry'": "stories, with their addresses",
        "count flood --by week": "attention over time, as a share of all stories",
        "stats": "what became of every story, and why some were left out",
        f"sources gaps --to {last_day}": "a paper that was silent for a week",
        f"topic status {shlex.quote(program.TOPIC)}": "the topic whose map was just drawn",
        "cite flood": "a sentence for your methods section",
    }


def _say_what_to_type(newsroom: newsrooms.Newsroom, *, once: bool) -> None:
    typed = this_program()
    default = Globals.data is None or Globals.data.absolute() == Path(DEFAULT_DATA_FOLDER).absolute()
    words = typed.words if default else f"{typed.words} --data {Globals.data}"
    commands = next_commands(newsroom.today)
    width = max(map(len, commands))
    err.print(f"\nType next{'' if once else ', in another terminal'}:")
    for command, shows in commands.items():
        err.print(f"  {words} {command:{width}}  # {shows}")
    err.print(f"Your own feeds: {typed.own_feeds()}")

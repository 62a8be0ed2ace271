"""Every command of the program, with words that make it do something: a new command has to be added here to be tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from tearsheet.cli import app

FORMS = ("--json", "--jsonl", "--csv")

SERVING = frozenset({"demo", "serve", "mcp", "worker", "archive replay"})
"""Commands that go on until they are stopped."""

FILES = frozenset({"feeds export"})
"""Commands whose forms are kinds of files that other programs read."""

SUMMARIES = frozenset(
    {
        "run",
        "demo",
        "pipeline run",
        "restore",
        "cite",
        "ingest",
        "status",
        "topic plan",
        "topic rehearse",
        "topic describe",
    }
)
"""Commands whose JSON is one summary of what was done or found, and no list."""

WORDS: dict[str, str] = {
    "feeds add": "feeds add http://hostile.example/feed.json http://bob:hunter22@hostile.example/other",
    "run": "run --once --no-web",
    "feeds export": "feeds export {outside}/feeds.opml",
    "feeds import": "feeds import {outside}/feeds.opml",
    "feeds sync": "feeds sync {outside}/none.json --dry-run",
    "feeds list": "feeds list",
    "feeds show": "feeds show 1",
    "feeds stories": "feeds stories 1",
    "feeds discover": "feeds discover http://hostile.example/",
    "feeds poll": "feeds poll 1",
    "feeds fetch-soon": "feeds fetch-soon 1",
    "feeds set": "feeds set 1 --name {hostile}",
    "feeds remove": "feeds remove 2",
    "feeds daily-rss": "feeds daily-rss",
    "feeds prune": "feeds prune --dry-run",
    "sources add": "sources add http://hostile.example/ {hostile}",
    "sources import": "sources import {outside}/sources.csv",
    "sources export": "sources export",
    "sources list": "sources list",
    "sources show": "sources show 1",
    "sources gaps": "sources gaps",
    "sources fetch-soon": "sources fetch-soon 1",
    "sources set": "sources set 1 --name {hostile}",
    "sources merge": "sources merge nothing.example --into 1 --yes",
    "sources split": "sources split 1 --feed 1 --name {hostile}",
    "sources remove": "sources remove nothing.example --yes",
    "collections add": "collections add {hostile} 1",
    "collections list": "collections list",
    "collections show": "collections show {hostile}",
    "collections remove": "collections remove {hostile} 1",
    "collections delete": "collections delete nothing",
    "pipeline list": "pipeline list",
    "pipeline run": "pipeline run csv --dry-run {outside}/urls.csv",
    "status": "status",
    "stats": "stats",
    "search": "search *",
    "count": "count * --by source",
    "cite": "cite *",
    "erase": "erase http://hostile.example/1 --reason {hostile} --dry-run",
    "index rebuild": "index rebuild",
    "index copy": "index copy tantivy:///index",
    "queues list": "queues list",
    "queues peek": "queues peek fetcher-in",
    "queues purge": "queues purge {hostile}",
    "queues delete": "queues delete {hostile}",
    "queues requeue": "queues requeue {hostile}",
    "queues dump-archives": "queues dump-archives",
    "queues load-archives": "queues load-archives {outside}/none.warc",
    "archive forget": "archive forget {hostile}",
    "archive list": "archive list",
    "archive verify": "archive verify",
    "archive extract": "archive extract http://hostile.example/1 --output {outside}/story.json",
    "archive index": "archive index",
    "archive wacz": "archive wacz * --output {outside}/stories.wacz",
    "archive upload": "archive upload",
    "pages put": "pages put http://hostile.example/p {outside}/page.html",
    "pages get": "pages get http://hostile.example/p --output {outside}/got.html",
    "pages list": "pages list",
    "pages check": "pages check",
    "pages migrate": "pages migrate --dry-run",
    "pages import": "pages import {outside}/none.warc",
    "pages export": "pages export {outside}/warcs",
    "topic create": "topic create {hostile} water",
    "topic seed": "topic seed {hostile} http://hostile.example/1 {hostile}",
    "topic plan": "topic plan {hostile} --sample 0",
    "topic run": "topic run {hostile}",
    "topic rehearse": "topic rehearse {hostile} --number 0",
    "topic describe": "topic describe {hostile}",
    "topic edit": "topic edit {hostile} --iterations 3",
    "topic include": "topic include {hostile} http://hostile.example/1 --reason {hostile}",
    "topic exclude": "topic exclude {hostile} http://hostile.example/2 --reason {hostile}",
    "topic merge": "topic merge {hostile} hostile.example other.example --reason {hostile}",
    "topic split": "topic split {hostile} hostile.example",
    "topic retry": "topic retry {hostile}",
    "topic stories": "topic stories {hostile}",
    "topic decisions": "topic decisions {hostile}",
    "topic compare": "topic compare {hostile} 1 1",
    "topic stop": "topic stop {hostile}",
    "topic status": "topic status {hostile}",
    "topic list": "topic list",
    "topic snapshot": "topic snapshot {hostile}",
    "topic export": "topic export {hostile} {outside}/export/topic",
    "topic map": "topic map {hostile} {outside}/map.svg",
    "topic focus add": "topic focus add {hostile} wet --query water",
    "topic focus list": "topic focus list {hostile}",
    "topic words": "topic words {hostile} wet",
    "topic focus remove": "topic focus remove {hostile} wet",
    "topic delete": "topic delete nothing --yes",
    "ingest": "ingest http://hostile.example/1",
    "backup": "backup {outside}/backups --new",
    "restore": "restore {outside}/backups --dry-run",
    "token create": "token create {hostile}",
    "token list": "token list",
    "token revoke": "token revoke {hostile}",
    "doctor": "doctor",
    "config show": "config show",
}  # fmt: skip
"""By the name of a command, its words, in an order in which each finds what it needs. `{hostile}` stands for a name that a
stranger chose, `{outside}` for a folder outside the data folder."""


def commands() -> dict[str, set[str]]:
    """Every command by name, with its options."""
    return dict(_leaves(get_command(app), ()))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, set[str]]]:
    if not hasattr(command, "list_commands"):
        yield " ".join(words), {name for parameter in command.params for name in parameter.opts}
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from _leaves(command.get_command(context, name), (*words, name))


def command_lines(hostile: str, outside: str) -> Iterator[list[str]]:
    """Every command that comes to an end, first as people see it, then in each of its forms for programs."""
    offered = commands()
    for name, line in WORDS.items():
        words = [word.format(hostile=hostile, outside=outside) for word in line.split(" ")]
        yield words
        for form in FORMS:
            if form in offered[name] and name not in ("run", "feeds export", "topic seed", "ingest"):
                yield [*words, form]

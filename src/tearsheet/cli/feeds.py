"""`tearsheet feeds`: add feeds, see how they are, and why each is polled when it is."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet.cli import feed_lists
from tearsheet.cli.adding import FOUND_COLUMNS, add_and_tell, named_feeds, say_asked
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.feed_hubs import HUB_LIST, with_hubs
from tearsheet.cli.feed_logins import (
    CookieFileOption,
    HeaderFileOption,
    PasswordFileOption,
    PasswordPromptOption,
    TokenFileOption,
    UserOption,
    login_changes,
)
from tearsheet.cli.now_and_then import said_now_and_then
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption, LimitOption, YesOption, confirm
from tearsheet.cli.polled import in_words, print_failed_feeds
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.errors import NotFoundError, PartialFailure, UsageError
from tearsheet.feeds import LONGEST_MINUTES, catalogue, polling
from tearsheet.terminal import clean, clean_line

app = typer.Typer(help="Add feeds, see how they are, and why each is polled when it is.", no_args_is_help=True)
Feed = Annotated[str, typer.Argument(help="A feed's id or address.", metavar="FEED")]
_LIST = {
    "id": "id", "url": "address", "name": "name", "sources_id": "source", "system_status": "status",
    "last_fetch_failures": "failures", "last_new_stories": "last news", "next_fetch_attempt": "next poll",
}  # fmt: skip
_FOR_PROGRAMS = {"url", "next_fetch_reason", "rhythm", "last_fetch_hash"}
"""Columns of a feed that are told in words, or that mean nothing to people; `--json` has them all."""


def register(parent: typer.Typer) -> None:
    """Add the command group."""
    feed_lists.add_lists(app)
    parent.add_typer(app, name="feeds")


@app.command()
@reports_errors
def add(
    urls: Annotated[
        list[str], typer.Argument(help="Addresses of feeds or of sites, or OPML and CSV files.", metavar="FEED…")
    ],
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    source: Annotated[int | None, typer.Option(help="The id of its source. [default: that of its domain]")] = None,
    collection: Annotated[list[str] | None, typer.Option(help="A collection that its source joins.")] = None,
    folder: Annotated[
        list[str] | None, typer.Option(help="A folder that it is in, as Outer/Inner.", metavar="PATH")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(help="Minutes between polls, whatever the schedule says.", min=0, max=LONGEST_MINUTES),
    ] = None,
    yes: YesOption = False,
) -> None:
    """Add feeds; they are polled at the next opportunity. A site's own page is taken to its feed, which is shown first."""
    with services_for(own=True) as services:
        new = named_feeds(services, urls, yes)
        for feed in new:
            feed.name = name or feed.name
            feed.sources_id = source if source is not None else feed.sources_id
            feed.collections += tuple(collection or ())
            feed.folders += tuple(path for text in folder or () for path in catalogue.read_folders(text))
            feed.admin_minutes = every or feed.admin_minutes
        add_and_tell(services, new)


@app.command("list")
@reports_errors
def list_all(
    source: Annotated[int | None, typer.Option(help="Only feeds of this source.")] = None,
    state: Annotated[
        catalogue.FeedState | None,
        typer.Option(help="Only those that work, fail, are off, had no news for a month, never worked, or have a hub."),
    ] = None,
    sort: Annotated[catalogue.FeedSort, typer.Option(help="Which come first.")] = catalogue.FeedSort.ID,
    limit: LimitOption = 1000,
    offset: Annotated[int, typer.Option(help="Pass over this many first.", min=0)] = 0,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List feeds with their state; those with a hub (WebSub), with what came of the subscription."""
    with services_for() as services:
        condition = catalogue.in_state(state, utc_now()) if state else None
        found = catalogue.list_feeds(
            services.database, source_id=source, condition=condition, sort=sort, limit=limit, offset=offset
        )
        columns, rows = _LIST, found.rows
        if state is catalogue.FeedState.WITH_HUB:
            columns, rows = HUB_LIST, with_hubs(services.database, rows)
    shown = [{name: _moment(row[name]) for name in columns} for row in rows]
    form = output_form(json, jsonl, csv)
    show(shown, columns, form=form, empty=_why_none(found.count, offset, narrowed=bool(state) or source is not None))
    if found.count > offset + len(shown) and shown:
        last = offset + len(shown)
        err.print(
            f"{offset + 1:,} to {last:,} of {how_many(found.count, 'feed')}; --offset {last} shows more", style="dim"
        )


def _why_none(count: int, offset: int, *, narrowed: bool) -> str:
    if count:
        return f"There are {how_many(count, 'feed')}, and --offset {offset} is behind the last."
    if narrowed:
        return "No feed is like that: tearsheet feeds list shows all"
    return "No feeds. Add some: tearsheet feeds add ADDRESS, or tearsheet feeds discover SITE --add"


def _moment(value: Any) -> Any:
    return value.strftime("%Y-%m-%d %H:%M") if isinstance(value, datetime) else value


@app.command("show")
@reports_errors
def show_feed(
    feed: Feed,
    events: Annotated[int, typer.Option(help="How many events of its history.", min=1)] = 10,
    document: Annotated[
        bool, typer.Option("--document", help="Only the last document that could not be read, as it came.")
    ] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Show a feed: when it is polled next and why, what is known of it, and its history; as JSON, every column."""
    if document:
        _show_document(feed)
        return
    with services_for() as services:
        row = catalogue.read_feed(services.database, catalogue.find_feed(services.database, feed))
        history = catalogue.fetch_history(services.database, row["id"], events)
        row["sends"] = ", ".join(catalogue.access_kinds(services.database, row["id"])) or None
        hub = with_hubs(services.database, [{"id": row["id"]}])[0]
    reason = polling.next_poll(row, utc_now())
    if json or jsonl:
        show([row | hub | {"next_poll": reason, "history": history}], {}, form=output_form(json, jsonl, False))
        return
    out.print("\n".join(filter(None, (row["url"], reason, clean_line(hub["hub_says"] or "")))) + "\n")
    facts = {name: value for name, value in row.items() if value not in (None, "") and name not in _FOR_PROGRAMS}
    show(
        [{"what": name.replace("_", " "), "value": _moment(value)} for name, value in facts.items()],
        {"what": "", "value": ""},
    )
    out.print()
    show(
        [event | {"created_at": _moment(event["created_at"])} for event in history],
        {"created_at": "when", "event": "event", "note": "note"},
        title="History, newest first",
    )


def _show_document(feed: str) -> None:
    with services_for() as services:
        feed_id = catalogue.find_feed(services.database, feed)
        kept = polling.failed_document(services.database, feed_id)
    if kept is None:
        out.print(f"Every document of feed {feed_id} could be read.")
        return
    err.print(f"Received on {_moment(kept.received_at)}, {kept.size:,} bytes: {clean_line(kept.note)}")
    write_out([clean(kept.text).encode("utf-8", "replace"), b"\n"])


@app.command()
@reports_errors
def stories(
    feed: Feed,
    limit: LimitOption = 50,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also authors, categories, files and the summary; in JSON they always are."),
    ] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the stories seen most recently in a feed; as JSON, with texts, authors, categories and enclosures."""
    whole = json or jsonl
    with services_for() as services:
        feed_id = catalogue.find_feed(services.database, feed)
        rows = catalogue.newest_stories(services.database, feed_id=feed_id, limit=limit, details=whole or details)
    columns = {"id": "id", "published_at": "published", "title": "title", "url": "address"}
    if details and not whole:
        columns |= {"authors": "authors", "categories": "categories", "enclosures": "files", "summary": "summary"}
        rows = [row | _in_words(row) for row in rows]
    show(
        [row | {"published_at": _moment(row["published_at"])} for row in rows],
        columns,
        form=output_form(json, jsonl, csv),
    )


def _in_words(row: dict[str, Any]) -> dict[str, str | None]:
    """The details of an entry, each as one text."""
    found = polling.shown_details(row)
    if found is None:
        return dict.fromkeys(("authors", "categories", "enclosures", "summary"))
    return {
        "authors": ", ".join(found.authors) or None,
        "categories": ", ".join(found.categories) or None,
        "enclosures": " ".join(file["url"] for file in found.enclosures) or None,
        "summary": found.summary,
    }


@app.command("discover")
@reports_errors
def discover_feeds(
    site: Annotated[str, typer.Argument(help="The address of a site or of a page of it.", metavar="SITE")],
    add_best: Annotated[bool, typer.Option("--add", help="Add the best one.")] = False,
    limit: LimitOption = 20,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Find the feeds and news sitemaps of a site, most useful first."""
    with services_for(own=add_best) as services:
        found = program.discover_feeds(services, site, limit, asking=say_asked)
        none = f"no feed of {site} was found: look for one in a browser, and add its address"
        show(found, FOUND_COLUMNS, form=output_form(json, jsonl, csv))
        if not found:
            raise NotFoundError(none)
        if add_best:
            best = catalogue.NewFeed(
                found[0].url, name=found[0].title, homepage=site if "://" in site else f"https://{site}"
            )
            add_and_tell(services, [best])


@app.command()
@reports_errors
def poll(
    feeds: Annotated[list[str] | None, typer.Argument(help="Only these feeds, due or not.", metavar="FEED…")] = None,
) -> None:
    """Poll every feed that is due, once, and store what is new; if feeds are named, poll only those.

    Nothing is forgotten by it: `tearsheet feeds fetch-soon` forgets failures, and gives a disabled feed another chance.
    """
    with services_for() as services:
        only = [catalogue.find_feed(services.database, feed) for feed in feeds or []]
        polled = program.poll_feeds(services, only, telling=said_now_and_then())
    if any(polled.counters.values()):
        for what, count in in_words(polled.counters):
            out.print(f"{count:>7,}  {what}")
    elif not only:
        out.print("No feed was due.")
    for feed_id, why in polled.left_out.items():
        err.print(f"feed {feed_id} was not polled: {why}", style="yellow")
    print_failed_feeds(polled.failed)
    outcomes = {"not polled": polled.left_out, "polled, and could not be read": polled.failed}
    if said := [f"{how_many(len(found), 'feed', 'was')} {what}" for what, found in outcomes.items() if found]:
        raise PartialFailure(f"{'; '.join(said)}: see above")


@app.command("fetch-soon")
@reports_errors
def soon(feed: Feed) -> None:
    """Poll a feed as soon as its host allows, forget its failures, and enable it again."""
    with services_for() as services:
        catalogue.fetch_soon(services.database, catalogue.find_feed(services.database, feed), utc_now())
    out.print("It will be polled at the next opportunity.")


@app.command("set")
@reports_errors
def change(
    feed: Feed,
    url: Annotated[
        str | None, typer.Option(help="A new address; what was learned from the old one is forgotten.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    active: Annotated[bool | None, typer.Option("--on/--off", help="Poll it or not.")] = None,
    every: Annotated[
        int | None,
        typer.Option(help="Minutes between polls; 0 leaves it to the schedule.", min=0, max=LONGEST_MINUTES),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="The source that it moves to, with its entries.", metavar="SOURCE")
    ] = None,
    folder: Annotated[
        list[str] | None,
        typer.Option(help="All folders that it is in, as Outer/Inner; nothing for none.", metavar="PATH"),
    ] = None,
    user_agent: Annotated[
        str | None, typer.Option(help="How we introduce ourselves to its server; nothing for as usual.")
    ] = None,
    ignore_validators: Annotated[
        bool | None,
        typer.Option(
            "--ignore-validators/--use-validators", help="Fetch it whole each time, whatever its server says."
        ),
    ] = None,
    user: UserOption = None,
    password_file: PasswordFileOption = None,
    password_prompt: PasswordPromptOption = False,
    token_file: TokenFileOption = None,
    cookie_file: CookieFileOption = None,
    header_file: HeaderFileOption = None,
) -> None:
    """Change a feed's address, name, interval, source or folders, what its server is told, or switch it on and off.

    Logins are sent to the feed's own server only, and never shown, exported or published; a backup has them.
    """
    login = login_changes(user, password_file, password_prompt, token_file, cookie_file, header_file)
    given = (url, name, active, every, source, folder, user_agent, ignore_validators)
    if not login and all(value is None for value in given):
        raise UsageError("say what to change: `tearsheet feeds set --help` lists it")
    with services_for() as services:
        database = services.database
        feed_id = catalogue.find_feed(database, feed)
        folders = None if folder is None else tuple(path for text in folder for path in catalogue.read_folders(text))
        catalogue.change_feed(
            database, feed_id, utc_now(), url=url, name=name, active=active, admin_minutes=every, folders=folders,
            source=None if source is None else catalogue.find_source(database, source), user_agent=user_agent,
            ignore_validators=ignore_validators, access=login,
        )  # fmt: skip
        row = catalogue.read_feed(database, feed_id)
    out.print(f"{row['url']}\n{polling.next_poll(row, utc_now())}")


@app.command()
@reports_errors
def remove(feed: Feed, yes: YesOption = False) -> None:
    """Forget a feed and its history; its stories stay."""
    with services_for() as services:
        feed_id = catalogue.find_feed(services.database, feed)
        confirm(f"Forget feed {feed_id}?", yes)
        catalogue.remove_feed(services.database, feed_id)
    out.print(f"feed {feed_id} is forgotten; its stories stay")


@app.command("daily-rss")
@reports_errors
def daily(
    day: Annotated[str | None, typer.Argument(help="YYYY-MM-DD, UTC. [default: yesterday]", metavar="DAY")] = None,
) -> None:
    """Write `rss/mc-YYYY-MM-DD.rss.gz` into the data folder: every story that was found on that day."""
    now = utc_now()
    try:
        wanted = date.fromisoformat(day) if day else now.date() - timedelta(days=1)
    except ValueError as error:
        raise UsageError(f"{day} is not a day: write it as YYYY-MM-DD") from error
    if wanted > now.date():
        raise UsageError(f"{wanted} is still to come: choose a day up to today, {now.date()} in UTC")
    with services_for() as services:
        folder = services.data / "rss"
        count = polling.write_daily_rss(services.database, folder, wanted, now)
    out.print(f"{how_many(count, 'story')} in {folder / polling.daily_rss_name(wanted)}")


@app.command("prune")
@reports_errors
def prune_old(dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False) -> None:
    """Delete old fetch events, and stories that left their feeds long ago."""
    with services_for() as services:
        dropped = polling.prune(services.database, services.settings.feeds, utc_now(), dry_run=dry_run)
    what = f"{how_many(dropped.fetch_events, 'event')} and {how_many(dropped.stories, 'story')}"
    out.print(f"{what} {'would be ' if dry_run else ''}dropped")

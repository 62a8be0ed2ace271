"""`tearsheet feeds`: add feeds, see how they are, and why each is polled when it is."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from tearsheet import app as program
from tearsheet.cli.adding import FOUND_COLUMNS, add_and_tell, named_feeds, say_asked
from tearsheet.cli.context import err, out, output_form, reports_errors, services_for, show, write_out
from tearsheet.cli.options import CsvOption, JsonlOption, JsonOption, YesOption, confirm
from tearsheet.clock import utc_now
from tearsheet.errors import UsageError
from tearsheet.feeds import catalogue, polling
from tearsheet.files import output_file
from tearsheet.terminal import clean, clean_line

app = typer.Typer(help="Add feeds, see how they are, and why each is polled when it is.", no_args_is_help=True)
Feed = Annotated[str, typer.Argument(help="A feed's id or address.", metavar="FEED")]
_LIST = {
    "id": "id", "url": "address", "sources_id": "source", "system_status": "status", "last_fetch_failures": "failures",
    "last_new_stories": "last news", "next_fetch_attempt": "next poll",
}  # fmt: skip


def register(parent: typer.Typer) -> None:
    """Add the command group."""
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
    every: Annotated[int | None, typer.Option(help="Minutes between polls, whatever the schedule says.")] = None,
    yes: YesOption = False,
) -> None:
    """Add feeds; they are polled at the next opportunity. A site's own page is taken to its feed, which is shown first."""
    with services_for(own=True) as services:
        new = named_feeds(services, urls, yes)
        for feed in new:
            feed.name = name or feed.name
            feed.sources_id = source if source is not None else feed.sources_id
            feed.collections += tuple(collection or ())
            feed.admin_minutes = every or feed.admin_minutes
        add_and_tell(services, new)


@app.command("import")
@reports_errors
def import_list(
    file: Annotated[Path, typer.Argument(help="An OPML or CSV file, or one address per line.", metavar="FILE")],
    collection: Annotated[list[str] | None, typer.Option(help="A collection that all sources join.")] = None,
) -> None:
    """Add the feeds of a list. Folders of OPML become collections."""
    new = catalogue.read_feed_list(str(file))
    for feed in new:
        feed.collections += tuple(collection or ())
    with services_for(own=True) as services:
        add_and_tell(services, new)


@app.command("export")
@reports_errors
def export_list(
    file: Annotated[
        Path | None, typer.Argument(help="A new file; .opml or .csv. [default: to stdout]", metavar="FILE")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="CSV instead of OPML.")] = False,
) -> None:
    """Write all feeds as OPML, with a folder for each collection, or as CSV."""
    with services_for() as services:
        feeds = catalogue.all_feeds(services.database)
        as_csv = csv or (file is not None and file.suffix == ".csv")
        opml = (text.encode("utf-8", "replace") for text in catalogue.write_opml(feeds, "Tearsheet", utc_now()))
        lines = catalogue.write_feeds_csv(feeds) if as_csv else opml
    if file is None:
        write_out(lines)
        return
    try:
        with output_file(file) as stream:
            stream.writelines(lines)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}") from error


@app.command("list")
@reports_errors
def list_all(
    source: Annotated[int | None, typer.Option(help="Only feeds of this source.")] = None,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 1000,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """List feeds with their state."""
    with services_for() as services:
        rows = catalogue.list_feeds(services.database, source_id=source, limit=limit).rows
    shown = [{name: _moment(row[name]) for name in _LIST} for row in rows]
    empty = "No feeds. Add some: tearsheet feeds add ADDRESS, or tearsheet feeds discover SITE --add"
    show(shown, _LIST, form=output_form(json, jsonl, csv), empty=empty)


def _moment(value: Any) -> Any:
    return value.strftime("%Y-%m-%d %H:%M") if isinstance(value, datetime) else value


@app.command("show")
@reports_errors
def show_feed(
    feed: Feed,
    events: Annotated[int, typer.Option(help="How many events of its history.")] = 10,
    document: Annotated[
        bool, typer.Option("--document", help="Only the last document that could not be read, as it came.")
    ] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
) -> None:
    """Show a feed: when it is polled next and why, its columns and its history."""
    if document:
        _show_document(feed)
        return
    with services_for() as services:
        row = catalogue.read_feed(services.database, catalogue.find_feed(services.database, feed))
        history = catalogue.fetch_history(services.database, row["id"], events)
    reason = polling.next_poll(row, utc_now())
    if json or jsonl:
        show([row | {"next_poll": reason, "history": history}], {}, form=output_form(json, jsonl, False))
        return
    out.print(f"{row['url']}\n{reason}\n")
    show(
        [{"column": name, "value": _moment(value)} for name, value in row.items()],
        {"column": "column", "value": "value"},
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
    limit: Annotated[int, typer.Option(help="How many.")] = 50,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Show the stories seen most recently in a feed; as JSON, with texts, authors, categories and enclosures."""
    with services_for() as services:
        rows = catalogue.newest_stories(
            services.database, feed_id=catalogue.find_feed(services.database, feed), limit=limit, details=json or jsonl
        )
    columns = {"id": "id", "published_at": "published", "title": "title", "url": "address"}
    show(
        [row | {"published_at": _moment(row["published_at"])} for row in rows],
        columns,
        form=output_form(json, jsonl, csv),
    )


@app.command("discover")
@reports_errors
def discover_feeds(
    site: Annotated[str, typer.Argument(help="The address of a site or of a page of it.", metavar="SITE")],
    add_best: Annotated[bool, typer.Option("--add", help="Add the best one.")] = False,
    limit: Annotated[int, typer.Option(help="At most this many.")] = 20,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    csv: CsvOption = False,
) -> None:
    """Find the feeds and news sitemaps of a site, most useful first."""
    with services_for(own=add_best) as services:
        found = program.discover_feeds(services, site, limit, asking=say_asked)
        none = f"No feed of {site} was found: look for one in a browser, and add its address."
        show(found, FOUND_COLUMNS, form=output_form(json, jsonl, csv), empty=none)
        if add_best and found:
            best = catalogue.NewFeed(
                found[0].url, name=found[0].title, homepage=site if "://" in site else f"https://{site}"
            )
            add_and_tell(services, [best])


@app.command()
@reports_errors
def poll(
    feeds: Annotated[list[str] | None, typer.Argument(help="Only these feeds, due or not.", metavar="FEED…")] = None,
) -> None:
    """Poll every feed that is due, once, and store what is new; if feeds are named, poll only those."""
    with services_for() as services:
        only = [catalogue.find_feed(services.database, feed) for feed in feeds or []]
        counts = program.poll_feeds(services, only)
    rows = [{"what": what, "count": count} for what, count in sorted(counts.items()) if count]
    if rows:
        show(rows, {"what": "what", "count": "count"})
    else:
        out.print("No feed was due.")


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
    every: Annotated[int | None, typer.Option(help="Minutes between polls; 0 leaves it to the schedule.")] = None,
) -> None:
    """Change a feed's address, name or interval, or switch it on and off."""
    with services_for() as services:
        feed_id = catalogue.find_feed(services.database, feed)
        catalogue.change_feed(
            services.database, feed_id, utc_now(), url=url, name=name, active=active, admin_minutes=every
        )


@app.command()
@reports_errors
def remove(feed: Feed, yes: YesOption = False) -> None:
    """Forget a feed and its history; its stories stay."""
    with services_for() as services:
        feed_id = catalogue.find_feed(services.database, feed)
        confirm(f"Forget feed {feed_id}?", yes)
        catalogue.remove_feed(services.database, feed_id)


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
    with services_for() as services:
        folder = services.data / "rss"
        count = polling.write_daily_rss(services.database, folder, wanted, now)
    out.print(f"{count:,} stories in {folder / polling.daily_rss_name(wanted)}")


@app.command("prune")
@reports_errors
def prune_old(dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False) -> None:
    """Delete old fetch events, and stories that left their feeds long ago."""
    with services_for() as services:
        dropped = polling.prune(services.database, services.settings.feeds, utc_now(), dry_run=dry_run)
    out.print(
        f"{dropped.fetch_events:,} events and {dropped.stories:,} stories {'would be ' if dry_run else ''}dropped"
    )

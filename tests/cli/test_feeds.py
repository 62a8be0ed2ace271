"""`tearsheet feeds`, `sources` and `collections`, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.feeds.polling.document_store import Failure, keep_documents
from tearsheet.feeds.tables import feed_subscriptions, feeds, stories
from tearsheet.settings import Settings
from tests.support.feed_fakes import NOW
from tests.support.tearsheet_command import in_process


@pytest.fixture
def tearsheet(tmp_path: Path):
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "--quiet", *words])
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_a_list_comes_in_and_goes_out(tearsheet, tmp_path: Path) -> None:
    opml = tmp_path / "list.opml"
    opml.write_text(
        '<opml version="2.0"><body><outline text="Press"><outline text="A" xmlUrl="http://a.example/rss"/></outline>'
        '<outline text="B" xmlUrl="http://b.example/rss"/><outline text="bad" xmlUrl="ftp://c.example/"/></body></opml>'
    )
    assert "2 feeds added" in tearsheet("feeds", "import", str(opml), code=3)
    rows = json.loads(tearsheet("feeds", "list", "--json"))
    assert [row["url"] for row in rows] == ["http://a.example/rss", "http://b.example/rss"]
    exported = tearsheet("feeds", "export")
    assert exported.index("Press") < exported.index("http://a.example/rss") < exported.index("http://b.example/rss")
    table = tmp_path / "out.csv"
    tearsheet("feeds", "export", str(table))
    assert "http://a.example/rss" in table.read_text()
    assert "0 feeds added, 2 were known" in tearsheet("feeds", "add", str(table))
    assert json.loads(tearsheet("collections", "list", "--json"))[0]["name"] == "Press"


def test_what_strangers_wrote_is_no_formula_and_comes_back_as_it_was(tearsheet, tmp_path: Path) -> None:
    title = '=HYPERLINK("http://evil.example")'
    tearsheet("feeds", "add", "http://a.example/rss", "--name", title, "--collection", "@home")
    tearsheet("sources", "add", "b.example", "--name", "-b", "--collection", "+more")
    for words in (("feeds", "export", "--csv"), ("sources", "export"), ("collections", "list", "--csv")):
        rows = list(csv.reader(io.StringIO(tearsheet(*words), newline="")))
        assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
        assert any(cell.startswith("'") for row in rows for cell in row)
    feeds, sources = tmp_path / "feeds.csv", tmp_path / "sources.csv"
    tearsheet("feeds", "export", str(feeds))
    sources.write_text(tearsheet("sources", "export"))
    elsewhere = ["--data", str(tmp_path / "elsewhere"), "--quiet"]
    for kind, file in (("feeds", feeds), ("sources", sources)):
        assert CliRunner().invoke(app, [*elsewhere, kind, "import", str(file)]).exit_code == 0
    assert CliRunner().invoke(app, [*elsewhere, "feeds", "export", "--csv"]).output == feeds.read_text()
    assert CliRunner().invoke(app, [*elsewhere, "sources", "export"]).output == sources.read_text()


def test_titles_of_a_feed_are_no_formulas(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://a.example/rss")
    with Services(Settings(tmp_path / "data")) as services, services.database.begin() as connection:
        url = "http://a.example/1"
        row = {"url": url, "normalized_url": url, "title": "=cmd()", "feed_id": 1, "fetched_at": NOW, "seen_at": NOW}
        connection.execute(stories.insert().values(row))
    shown = tearsheet("feeds", "stories", "1", "--csv")
    assert list(csv.reader(io.StringIO(shown, newline="")))[1][2] == "'=cmd()"


def test_a_document_that_could_not_be_read_is_shown_without_what_commands_a_terminal(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://a.example/rss")
    assert "could be read" in tearsheet("feeds", "show", "1", "--document")
    with Services(Settings(tmp_path / "data")) as services, services.database.begin() as connection:
        body = "<html>Sorry \x1b[2J\u202e</html>".encode()
        keep_documents(connection, [Failure(1, NOW, "parse error; Exception('html?')", body)])
    shown = tearsheet("feeds", "show", "1", "--document")
    assert "<html>Sorry \ufffd[2J</html>" in shown and "Exception('html?')" in shown
    assert "\x1b" not in shown and "\u202e" not in shown


def test_what_came_of_asking_hubs_is_shown(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://a.example/rss", "http://b.example/rss")
    assert "No feed is like that" in tearsheet("feeds", "list", "--state", "with-hub")
    with Services(Settings(tmp_path / "data")) as services, services.database.begin() as connection:
        row = {
            "feed_id": 2, "hub": "http://me:secret@hub.example/", "topic": "http://b.example/rss", "token": "told-nobody",
            "secret": "shown-nobody", "state": "refused", "ask_at": NOW, "asked": 0, "note": "denied: go \x1b[2Jaway",
        }  # fmt: skip
        connection.execute(feed_subscriptions.insert().values(row))
    [listed] = json.loads(tearsheet("feeds", "list", "--state", "with-hub", "--json"))
    assert (listed["id"], listed["hub"], listed["hub_state"]) == (2, "http://hub.example/", "refused")
    [whole] = json.loads(tearsheet("feeds", "show", "2", "--json"))
    assert "denied: go" in whole["hub_says"] and whole["hub_until"] is None
    shown = tearsheet("feeds", "show", "2") + tearsheet("feeds", "list", "--state", "with-hub")
    assert "polled as if it had no hub" in shown and "\x1b" not in shown
    assert not any(secret in shown + str(whole) for secret in ("secret@", "told-nobody", "shown-nobody"))
    assert json.loads(tearsheet("feeds", "show", "1", "--json"))[0]["hub"] is None


def test_the_details_of_entries_are_in_json(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://a.example/rss")
    with Services(Settings(tmp_path / "data")) as services, services.database.begin() as connection:
        url, details = "http://a.example/1", '{"authors":["Ann"],"summary":"Short"}'
        row = {"url": url, "normalized_url": url, "feed_id": 1, "fetched_at": NOW, "seen_at": NOW, "details": details}
        connection.execute(stories.insert().values(row))
    [shown] = json.loads(tearsheet("feeds", "stories", "1", "--json"))
    assert (shown["url"], shown["authors"], shown["summary"], shown["enclosures"]) == (url, ["Ann"], "Short", [])
    [row] = csv.DictReader(io.StringIO(tearsheet("feeds", "stories", "1", "--details", "--csv")))
    assert (row["authors"], row["summary"], row["enclosures"]) == ("Ann", "Short", "")
    assert "authors" not in tearsheet("feeds", "stories", "1")


def test_feeds_of_a_hosting_service_are_sources_of_their_own(tearsheet) -> None:
    hosted = [
        "http://feeds.feedburner.com/One",
        "http://feeds.feedburner.com/Two",
        "https://a.substack.com/feed",
        "https://b.substack.com/feed",
    ]
    tearsheet("feeds", "add", *hosted)
    assert len({row["sources_id"] for row in json.loads(tearsheet("feeds", "list", "--json"))}) == 4


def test_a_feed_says_when_it_is_polled_and_why(tearsheet) -> None:
    tearsheet("feeds", "add", "http://127.0.0.1:9/rss", "--name", "Mine", "--every", "30")
    assert "at the next occasion (new)" in tearsheet("feeds", "show", "1")
    told = tearsheet("feeds", "poll", code=3)
    assert "http://127.0.0.1:9/rss could not be read: " in told and "`fetch.allow_addresses` allows one" in told
    assert "1 feed was polled, and could not be read: see above" in told
    shown = tearsheet("feeds", "show", "http://127.0.0.1:9/rss")
    assert "after a failure" in shown or "back-off" in shown
    assert "forbidden-address" in shown
    row = json.loads(tearsheet("feeds", "show", "1", "--json"))[0]
    assert (row["system_status"], row["admin_minutes"], len(row["history"])) == ("fetch error", 30, 2)
    tearsheet("feeds", "fetch-soon", "1")
    assert "somebody asked for it" in tearsheet("feeds", "show", "1")
    tearsheet("feeds", "set", "1", "--off")
    assert "switched it off" in tearsheet("feeds", "show", "1")
    tearsheet("feeds", "stories", "1", "--json")
    tearsheet("feeds", "prune", "--dry-run")
    assert "mc-2026-11-14.rss.gz" in tearsheet("feeds", "daily-rss", "2026-11-14").replace("\n", "")
    tearsheet("feeds", "daily-rss", "yesterday", code=2)
    assert "is still to come" in tearsheet("feeds", "daily-rss", "9999-12-31", code=2)
    assert "mc-0001-01-01.rss.gz" in tearsheet("feeds", "daily-rss", "0001-01-01").replace("\n", "")
    assert "is before all news" in tearsheet("sources", "gaps", "--to", "0001-01-01", code=2)
    tearsheet("feeds", "remove", "1", "--yes")
    assert "there is no feed" in tearsheet("feeds", "show", "1", code=5)


def test_a_feed_is_shown_to_people_in_lines_that_fit(tearsheet, monkeypatch) -> None:
    tearsheet("feeds", "add", "http://127.0.0.1:9/rss", "--name", "Mine")
    tearsheet("feeds", "poll", code=3)
    monkeypatch.setenv("COLUMNS", "80")
    shown = [line.split("  ")[0] for line in tearsheet("feeds", "show", "1").splitlines()]
    assert {"id", "name", "system status", "next fetch attempt"} <= set(shown)
    assert not {"column", "rhythm", "former url", "last fetch hash"} & set(shown), "not what only programs read"
    assert {"rhythm", "former_url"} <= json.loads(tearsheet("feeds", "show", "1", "--json"))[0].keys()


def test_polling_a_named_feed_leaves_the_others_alone(tearsheet) -> None:
    tearsheet("feeds", "add", "http://127.0.0.1:9/one")
    assert "1 feed added" in tearsheet("feeds", "add", "http://127.0.0.2:9/two")
    tearsheet("feeds", "poll", "http://127.0.0.2:9/two", code=3)
    one, two = (json.loads(tearsheet("feeds", "show", number, "--json"))[0] for number in "12")
    assert (one["last_fetch_attempt"], two["system_status"]) == (None, "fetch error")
    tearsheet("feeds", "poll", code=3)
    assert "No feed was due." in tearsheet("feeds", "poll")


def test_sources_and_collections(tearsheet, tmp_path: Path) -> None:
    tearsheet("sources", "add", "https://www.news.example/", "other.example", "--collection", "Mine")
    assert "refused" in tearsheet("sources", "add", "http://", code=3)
    table = tmp_path / "sources.csv"
    table.write_text("domain,name,collections\nthird.example,Third,Mine;Yours\n")
    assert "1 source added" in tearsheet("sources", "import", str(table))
    assert "third.example" in tearsheet("sources", "export")
    assert len(json.loads(tearsheet("collections", "show", "Mine", "--json"))) == 3
    tearsheet("collections", "remove", "Mine", "third.example")
    assert len(json.loads(tearsheet("collections", "show", "Mine", "--json"))) == 2
    tearsheet("collections", "add", "New one", "third.example", "1")
    shown = json.loads(tearsheet("sources", "show", "third.example", "--json"))[0]
    assert shown["collections"] == ["Yours", "New one"]
    tearsheet("collections", "delete", "Yours", "--yes")
    tearsheet("collections", "show", "Yours", code=5)
    tearsheet("sources", "fetch-soon", "third.example")
    tearsheet("sources", "show", "nobody.example", code=5)


def test_a_mistyped_interval_is_refused(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://a.example/rss")
    for value in ("9999999999", "-5", "nan", "1e9"):
        assert "--every" in tearsheet("feeds", "set", "1", "--every", value, code=2)
        assert "--every" in tearsheet("feeds", "add", "http://b.example/rss", "--every", value, code=2)
    table = tmp_path / "list.csv"
    table.write_text("url,admin_minutes\nhttp://b.example/rss,9999999999\n")
    assert "line 2" in tearsheet("feeds", "import", str(table), code=2)


def test_feeds_are_listed_by_state_and_in_pages(tearsheet) -> None:
    tearsheet("feeds", "add", "http://127.0.0.1:9/one", "http://127.0.0.1:9/two", "http://127.0.0.1:9/three")
    tearsheet("feeds", "set", "2", "--off")
    assert [row["id"] for row in json.loads(tearsheet("feeds", "list", "--state", "off", "--json"))] == [2]
    assert [json.loads(line)["id"] for line in tearsheet("feeds", "list", "--sort", "url", "--jsonl").splitlines()] == [
        1, 3, 2,
    ]  # fmt: skip
    paged = tearsheet("feeds", "list", "--limit", "2", "--offset", "0")
    assert "1 to 2 of 3 feeds; --offset 2 shows more" in paged
    assert "is behind the last" in tearsheet("feeds", "list", "--offset", "5")
    assert "No feed is like that" in tearsheet("feeds", "list", "--state", "never-worked")


def test_polling_a_feed_resets_nothing_and_says_what_it_leaves_out(tearsheet, tmp_path: Path) -> None:
    tearsheet("feeds", "add", "http://127.0.0.1:9/one", "http://127.0.0.2:9/two")
    with Services(Settings(tmp_path / "data")) as services, services.database.begin() as connection:
        connection.execute(feeds.update().values(last_fetch_failures=12.0))
    tearsheet("feeds", "poll", "1", code=3)
    assert json.loads(tearsheet("feeds", "show", "1", "--json"))[0]["last_fetch_failures"] > 12
    tearsheet("feeds", "set", "2", "--off")
    told = tearsheet("feeds", "poll", "2", code=3)
    assert "feed 2 was not polled: it is switched off" in told and "No feed was due" not in told


def test_logins_come_from_files_and_are_never_shown(tearsheet, tmp_path: Path) -> None:
    secrets = {
        "password": "hidden-word\n",
        "token": "hidden-token",
        "cookie": "hidden=cookie",
        "header": "X-Key: hidden-key\n",
    }
    for name, text in secrets.items():
        (tmp_path / name).write_text(text)
    tearsheet("feeds", "add", "http://a.example/rss")
    files = [word for name in secrets for word in (f"--{name}-file", str(tmp_path / name))]
    tearsheet("feeds", "set", "1", "--user", "someone", *files, "--user-agent", "Mine/1", "--ignore-validators")
    shown = json.loads(tearsheet("feeds", "show", "1", "--json"))[0]
    assert shown["sends"] == "user, password, token, cookie, header X-Key"
    assert (shown["user_agent"], shown["ignore_validators"]) == ("Mine/1", True)
    exports = [("feeds", "export"), ("feeds", "export", "--csv"), ("feeds", "export", "--json")]
    lists = [("feeds", "list", "--json"), ("feeds", "show", "1"), ("sources", "show", "1", "--json")]
    for words in (*exports, *lists):
        assert "hidden" not in tearsheet(*words)
    tearsheet("feeds", "set", "1", "--password-prompt", code=2)
    tearsheet("feeds", "set", "1", "--header-file", str(tmp_path / "password"), code=2)
    tearsheet("feeds", "set", "1", code=2)
    (tmp_path / "password").write_text("")
    tearsheet("feeds", "set", "1", "--password-file", str(tmp_path / "password"))
    assert "password" not in json.loads(tearsheet("feeds", "show", "1", "--json"))[0]["sends"]


def test_feeds_move_between_sources_which_are_merged_and_split(tearsheet) -> None:
    tearsheet("feeds", "add", "http://a.example/1", "http://a.example/2", "http://b.example/1")
    tearsheet("feeds", "set", "2", "--source", "b.example", "--folder", "Europe/Press")
    assert [row["sources_id"] for row in json.loads(tearsheet("feeds", "list", "--json"))] == [1, 2, 2]
    assert "1 feed is of" in tearsheet("sources", "merge", "a.example", "--into", "b.example", "--yes")
    tearsheet("sources", "show", "1", code=5)
    assert "2 feeds are of source 3, Sport, now" in tearsheet(
        "sources", "split", "b.example", "--feed", "1", "--feed", "2", "--name", "Sport"
    )
    assert [row["sources_id"] for row in json.loads(tearsheet("feeds", "list", "--json"))] == [3, 3, 2]
    tearsheet("sources", "split", "b.example", "--feed", "1", "--name", "Other", code=2)


def test_finding_no_feed_is_not_found(tearsheet, monkeypatch) -> None:
    monkeypatch.setattr("tearsheet.app.discover_feeds", lambda *_, **__: [])
    assert "no feed of a.example was found" in tearsheet("feeds", "discover", "a.example", code=5)
    assert tearsheet("feeds", "discover", "a.example", "--json", code=5).startswith("[]")


def test_what_was_changed_is_told(tmp_path):
    in_process("feeds", "add", "http://own.example/rss", data=tmp_path)
    changed = in_process("feeds", "set", "1", "--every", "30", data=tmp_path)
    assert changed.output.startswith("http://own.example/rss\nNext poll: "), changed.output
    assert "written" in in_process("feeds", "export", tmp_path / "out.opml", data=tmp_path).stderr
    named = in_process("sources", "set", "1", "--name", "Own Paper", data=tmp_path)
    assert named.output == "Own Paper (own.example), source 1\ncollections: none\n"
    assert "its stories stay" in in_process("feeds", "remove", "1", "--yes", data=tmp_path).output

"""A client that answers from a table, and a database in a folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import event

from tearsheet.engines.database import open_database
from tearsheet.engines.database.port import Database
from tearsheet.engines.database.sqlite import SqliteDatabase
from tearsheet.fetch import FetchError, FetchRequest, FetchResponse
from tearsheet.story import Exchange

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
OPML = b"""<?xml version="1.0"?><opml version="1.1"><head><title>x</title></head><body>
<outline text="Europe"><outline text="Press &amp; radio">
  <outline text="A" type="rss" xmlUrl="http://a.example/rss" htmlUrl="http://a.example/"/></outline>
  <outline title="B" XMLURL="http://b.example/atom.xml"/></outline>
<outline text="C" type="rss" url="http://c.example/rss"/>
<outline text="Africa"><outline text="A again" xmlUrl="http://a.example/rss"/></outline>
</body></opml>"""


def rss(*links: str, title: str = "A feed", extra: str = "") -> bytes:
    items = "".join(f"<item><title>Story {link}</title><link>{link}</link></item>" for link in links)
    return f'<rss version="2.0"><channel><title>{title}</title>{extra}{items}</channel></rss>'.encode()


def response(
    body: bytes = b"", status: int = 200, headers: dict[str, str] | None = None, url: str = "", reason: str = ""
) -> FetchResponse:
    return FetchResponse(url, status, reason, list((headers or {}).items()), body, [Exchange(url, status)], None, 0.01)


class FakeClient:
    """Answers by address; remembers what it was asked."""

    def __init__(self, answer: Callable[[FetchRequest], FetchResponse | FetchError]) -> None:
        self._answer = answer
        self.requests: list[FetchRequest] = []

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, FetchError):
            raise answer
        answer.url = answer.url or request.url
        return answer


def new_database(folder: Path) -> Database:
    """A database that does not wait for the disk: these tests lose no power."""
    database = open_database("feeds.db", folder)
    assert isinstance(database, SqliteDatabase)
    event.listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    database.migrate()
    return database

"""A hundred and fifty feeds of every odd kind, each with what polling it for a month must come to."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from tearsheet.feeds.polling.statuses import FETCH_ERRORS
from tearsheet.fetch import FetchError, FetchRequest
from tests.support.feed_fakes import response
from tests.support.feed_site import Answer

START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
BEFORE = 20
"""Stories of each feed that were there when it was added."""
FINE = r"\d+ skipped / \d+ added|same hash|not modified"
ATOM = "xmlns:a='http://www.w3.org/2005/Atom'"


@dataclass(slots=True)
class Story:
    """One story: where it is, what it is called, and when it appeared."""

    link: str
    title: str
    at: datetime


@dataclass
class OddFeed:
    """A feed: what its addresses answer at a moment, and what must come of it."""

    name: str
    hours: float = 6.0
    """Between two stories."""
    window: int = 40
    """Entries of its document."""
    render: Callable[[OddFeed, list[Story], datetime], bytes] = field(
        default=lambda feed, stories, now: rss(feed, stories)
    )
    headers: dict[str, str] = field(default_factory=dict)
    answer: Callable[[OddFeed, FetchRequest, datetime], Answer | None] = lambda feed, request, now: None
    """What is answered in place of the document; None for the document."""
    opens: Callable[[datetime], bool] = lambda at: True
    """Whether a story appears at this moment."""
    batch: int = 1
    """Stories that appear together."""
    status: str = "Working"
    notes: str = FINE
    gone: bool = False
    """Whether it is switched off before its failures are too many."""
    finds: bool = True
    """Whether all of its stories are found."""
    within: timedelta = timedelta(hours=36)
    """And by when: the longest interval, its jitter, and a failed poll."""

    @property
    def url(self) -> str:
        return f"http://{self.name}.example/feed"

    def stories(self, now: datetime) -> list[Story]:
        """Those that have appeared, the oldest first."""
        count = int((now - START) / timedelta(hours=self.hours))
        found = []
        for number in range(-BEFORE, count + 1):
            at = START + timedelta(hours=self.hours * number)
            if at <= now and self.opens(at):
                for part in range(self.batch):
                    name = f"{number + BEFORE}-{part}"
                    found.append(Story(f"http://{self.name}.example/2026/story-{name}.html", f"{self.name} {name}", at))
        return found

    def document(self, now: datetime) -> bytes:
        """What is at its address."""
        return self.render(self, self.stories(now)[-self.window :], now)

    def answers(self, request: FetchRequest, now: datetime) -> Answer:
        """What it says to a request."""
        other = self.answer(self, request, now)
        return response(self.document(now), headers=self.headers) if other is None else other


# ------------------------------------------------------------------------------------------------------ documents


def rss(feed: OddFeed, stories: list[Story], extra: str = "", date: str = "pubDate") -> bytes:
    items = "".join(
        f"<item><title>{s.title}</title><link>{s.link}</link><{date}>{format_datetime(s.at)}</{date}></item>"
        for s in reversed(stories)
    )
    return f"<rss version='2.0'><channel><title>{feed.name}</title>{extra}{items}</channel></rss>".encode()


def rdf(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
    items = "".join(
        f"<item rdf:about='{s.link}'><title>{s.title}</title><link>{s.link}</link><dc:date>{s.at.isoformat()}</dc:date></item>"
        for s in reversed(stories)
    )
    spaces = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/'"
    return f"<rdf:RDF {spaces} xmlns='http://purl.org/rss/1.0/'><channel><title>x</title></channel>{items}</rdf:RDF>".encode()


def atom(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
    entries = "".join(
        f"<entry><title>{s.title}</title><link href='{s.link}'/><id>{s.link}</id><updated>{s.at.isoformat()}</updated></entry>"
        for s in reversed(stories)
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title>{entries}</feed>".encode()


def json_feed(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
    items = [{"id": s.link, "url": s.link, "title": s.title, "date_published": s.at.isoformat()} for s in stories]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode()


def sitemap(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
    urls = "".join(f"<url><loc>{s.link}</loc><lastmod>{s.at.isoformat()}</lastmod></url>" for s in stories)
    return f"<urlset>{urls}</urlset>".encode()


def news_sitemap(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
    urls = "".join(
        f"<url><loc>{s.link}</loc><n:news><n:publication_date>{s.at.isoformat()}</n:publication_date>"
        f"<n:title>{s.title}</n:title></n:news></url>"
        for s in stories
    )
    return f"<urlset xmlns:n='http://www.google.com/schemas/sitemap-news/0.9'>{urls}</urlset>".encode()


FORMATS = {"rss": lambda f, s, n: rss(f, s), "rdf": rdf, "atom": atom, "json": json_feed, "sitemap": sitemap,
           "news": news_sitemap}  # fmt: skip

Said = Callable[[OddFeed, FetchRequest, datetime], Answer | None]


def always(answer: Answer) -> Said:
    """The same answer to every request."""
    return lambda feed, request, now: answer


def with_head(extra: str) -> Callable[[OddFeed, list[Story], datetime], bytes]:
    """A document that says something more about itself."""
    return lambda feed, stories, now: rss(feed, stories, extra)


# ---------------------------------------------------------------------------------------------------------- kinds


def well_behaved() -> Iterator[OddFeed]:
    for name, render in FORMATS.items():
        for hours, window in ((0.5, 50), (1, 30), (3, 25), (6, 15), (24, 12), (72, 10)):
            if name != "sitemap" or hours < 72:  # a plain sitemap tells of what changed within a week
                yield OddFeed(f"{name}-{hours}h", hours, window, render)
    for window in (1, 2, 5, 8, 20, 100, 500):
        yield OddFeed(f"window-{window}", 48 if window < 3 else 6, window)
    yield OddFeed("oldest-first", render=lambda f, s, n: rss(f, s[::-1]))
    yield OddFeed("shuffled", render=lambda f, s, n: rss(f, sorted(s, key=lambda one: hash((one.link, n.hour)))))
    yield OddFeed("batches", 24, 40, batch=10)
    yield OddFeed("pairs", 8, 20, batch=2)
    yield OddFeed("nights", 1, 60, opens=lambda at: at.hour < 5)
    yield OddFeed("working-days", 2, 60, opens=lambda at: at.weekday() < 5)
    yield OddFeed("weekly", 24, opens=lambda at: at.weekday() == 4, batch=5)
    yield OddFeed("long-silent", 24, opens=lambda at: at < START)
    yield OddFeed(
        "wakes-up", 2, 60, opens=lambda at: at < START - timedelta(hours=30) or (at.day > 5 and at.month == 12)
    )


def dated_oddly() -> Iterator[OddFeed]:
    def dated(text: Callable[[Story, datetime], str]) -> Callable[[OddFeed, list[Story], datetime], bytes]:
        def render(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
            items = "".join(
                f"<item><title>{s.title}</title><link>{s.link}</link>{text(s, now)}</item>" for s in reversed(stories)
            )
            return f"<rss version='2.0'><channel><title>x</title>{items}</channel></rss>".encode()

        return render

    kinds: dict[str, Callable[[Story, datetime], str]] = {
        "none": lambda s, n: "",
        "future": lambda s, n: f"<pubDate>{format_datetime(s.at + timedelta(days=400))}</pubDate>",
        "epoch": lambda s, n: "<pubDate>Thu, 01 Jan 1970 00:00:00 GMT</pubDate>",
        "day": lambda s, n: f"<pubDate>{s.at:%Y-%m-%d}</pubDate>",
        "now": lambda s, n: f"<pubDate>{format_datetime(n)}</pubDate>",
        "garbage": lambda s, n: "<pubDate>gegen Mittag</pubDate>",
        "late": lambda s, n: f"<pubDate>{format_datetime(s.at - timedelta(days=2))}</pubDate>",
    }
    for name, text in kinds.items():
        yield OddFeed(f"dates-{name}", 5, 30, dated(text))


def with_validators() -> Iterator[OddFeed]:
    def honest(name: str, sent: str) -> Callable[[OddFeed, FetchRequest, datetime], Answer | None]:
        def answer(feed: OddFeed, request: FetchRequest, now: datetime) -> Answer | None:
            value = f'"{len(feed.stories(now))}"'
            if request.headers.get(name) == value:
                return 304
            return response(feed.document(now), headers={sent: value})

        return answer

    yield OddFeed("etag", answer=honest("If-None-Match", "ETag"))
    yield OddFeed("last-modified", answer=honest("If-Modified-Since", "Last-Modified"))

    def always_304(feed: OddFeed, request: FetchRequest, now: datetime) -> Answer | None:
        return 304 if "If-None-Match" in request.headers else response(feed.document(now), headers={"ETag": '"x"'})

    yield OddFeed("liar", 12, 60, answer=always_304, within=timedelta(days=9))  # it is caught once a week
    yield OddFeed("unasked-304", answer=lambda f, r, n: 304 if n.hour == 3 else None,
                  notes=f"{FINE}|HTTP 304 Not Modified", status=r"Working|HTTP 304 Not Modified")  # fmt: skip
    yield OddFeed("counter", render=lambda f, s, n: rss(f, s, f"<lastBuildDate>{format_datetime(n)}</lastBuildDate>"))
    yield OddFeed("weak-etag", headers={"ETag": 'W/"never checked"'})


def with_wishes() -> Iterator[OddFeed]:
    for name, extra in {
        "ttl-5": "<ttl>5</ttl>", "ttl-1440": "<ttl>1440</ttl>", "ttl-garbage": "<ttl>soon</ttl>",
        "skip-hours": "<skipHours><hour>0</hour><hour>1</hour><hour>2</hour></skipHours>",
        "skip-days": "<skipDays><day>Saturday</day><day>Sunday</day></skipDays>",
        "skip-all": "<skipHours>" + "".join(f"<hour>{h}</hour>" for h in range(24)) + "</skipHours>",
    }.items():  # fmt: skip
        yield OddFeed(name, 2, 100, with_head(extra))
    sy = "<sy:updatePeriod xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>hourly</sy:updatePeriod>"
    yield OddFeed("sy-hourly", 2, 60, with_head(sy))
    for name, value in {"max-age-60": "max-age=60", "max-age-day": "max-age=86400", "no-store": "no-store",
                        "max-age-vast": "max-age=99999999999"}.items():  # fmt: skip
        yield OddFeed(name, 2, 60, headers={"Cache-Control": value})
    yield OddFeed("expires", 2, 60, headers={"Expires": "Thu, 01 Jan 1970 00:00:00 GMT"})


def refusing() -> Iterator[OddFeed]:
    phrases = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
               418: "I'm a Teapot", 429: "Too Many Requests", 451: "Unavailable For Legal Reasons", 204: "No Content",
               206: "Partial Content", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
               504: "Gateway Timeout"}  # fmt: skip
    for code, phrase in phrases.items():
        status = f"HTTP {code} {phrase}"
        yield OddFeed(f"http-{code}", answer=always(code), status=re.escape(status), notes=re.escape(status),
                      finds=False)  # fmt: skip
    yield OddFeed("http-410", answer=lambda f, r, n: 410, status="HTTP 410 Gone", notes="HTTP 410 Gone", gone=True,
                  finds=False)  # fmt: skip
    busy = response(status=429, headers={"Retry-After": "7200"}, reason="Slow Down")
    yield OddFeed(
        "busy", answer=lambda f, r, n: busy, status="HTTP 429 Slow Down", notes="HTTP 429 Slow Down", finds=False
    )
    for kind, (status, _) in FETCH_ERRORS.items():
        if kind == "content-type":
            continue
        yield OddFeed(f"error-{kind}", answer=always(FetchError(kind, "as told")), status=status,
                      notes=f"{status}; {kind}: as told", finds=False)  # fmt: skip
    for name, body, note in (
        ("empty", b"", "empty"), ("blank", b" \n ", "empty"), ("html", b"<!doctype html><html><body>x</body></html>", "html?"),
        ("page", b"<html><head><title>x</title></head></html>", "html?"), ("words", b"not a feed", "no version"),
        ("other-json", b'{"a": 1}', "no version"), ("binary", bytes(range(1, 200)), "no version"),
        ("other-xml", b"<kml><x/></kml>", "no version"),
    ):  # fmt: skip
        yield OddFeed(f"no-{name}", answer=always(body), status="parse error",
                      notes=re.escape(f"parse error; Exception({note!r})"), finds=False)  # fmt: skip


def flaky() -> Iterator[OddFeed]:
    def outage(now: datetime) -> bool:
        return 5 <= (now - START).days < 8

    bad = f"{FINE}|HTTP 500 Internal Server Error|connection error; connect: down|job timeout; timeout: slow|DNS error; dns: x"
    bad += r"|parse error; Exception\('html\?'\)"
    answers: dict[str, Said] = {
        "half-the-time": lambda f, r, n: 500 if n.hour % 2 else None,
        "outage": lambda f, r, n: FetchError("connect", "down") if outage(n) else None,
        "maintenance-page": lambda f, r, n: b"<html><body>Back soon</body></html>" if outage(n) else None,
        "slow-at-noon": lambda f, r, n: FetchError("timeout", "slow") if 11 <= n.hour < 14 else None,
        "dns-at-times": lambda f, r, n: FetchError("dns", "x") if n.hour % 5 == 0 else None,
    }
    for name, answer in answers.items():
        yield OddFeed(name, 6, 60, answer=answer, notes=bad, status=".*")
    # A gap that its document does not cover, and its older pages do.
    for rel in ("next", "prev-archive"):
        yield OddFeed(f"paged-{rel}", 3, 10, answer=paged(rel, outage), notes=bad)


def paged(rel: str, outage: Callable[[datetime], bool]) -> Said:
    """A short document with a link to an older page, which has one, too."""

    def answer(feed: OddFeed, request: FetchRequest, now: datetime) -> Answer:
        if outage(now):
            return FetchError("connect", "down")
        page = int(request.url.partition("page=")[2] or 0)
        stories = feed.stories(now)
        shown = stories[: len(stories) - page * feed.window][-feed.window :]
        link = f"<a:link {ATOM} rel='{rel}' href='?page={page + 1}'/>" if len(shown) == feed.window else ""
        return rss(feed, shown, link)

    return answer


def moving() -> Iterator[OddFeed]:
    def elsewhere(status: int, target: str = "/moved") -> Callable[[OddFeed, FetchRequest, datetime], Answer | None]:
        def answer(feed: OddFeed, request: FetchRequest, now: datetime) -> Answer | None:
            return (status, f"http://{feed.name}.example{target}") if request.url == feed.url else None

        return answer

    for status in (301, 302, 303, 307, 308):
        yield OddFeed(f"moved-{status}", answer=elsewhere(status))
    yield OddFeed(
        "moved-for-days",
        answer=lambda f, r, n: elsewhere(301)(f, r, n) if 3 <= (n - START).days < 10 else None,
    )
    yield OddFeed("moved-in-a-circle", answer=lambda f, r, n: FetchError("too-many-redirects", "in a circle"),
                  status="too many redirects", notes="too many redirects; too-many-redirects: in a circle",
                  finds=False)  # fmt: skip
    podcast = "<i:new-feed-url xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'>%s</i:new-feed-url>"
    yield OddFeed("podcast", render=lambda f, s, n: rss(f, s, podcast.replace("%s", f"http://{f.name}.example/moved")))
    yield OddFeed(
        "podcast-astray", render=lambda f, s, n: rss(f, s, podcast.replace("%s", "http://nowhere.example/feed"))
    )


def linked_oddly() -> Iterator[OddFeed]:
    def linked(change: Callable[[str, datetime], str]) -> Callable[[OddFeed, list[Story], datetime], bytes]:
        def render(feed: OddFeed, stories: list[Story], now: datetime) -> bytes:
            return rss(feed, [Story(change(s.link, now), s.title, s.at) for s in stories])

        return render

    yield OddFeed("tracking", render=linked(lambda link, n: f"{link}?utm_source=feed{n:%H%M}&amp;utm_medium=rss"))
    yield OddFeed("fragments", render=linked(lambda link, n: f"{link}#at-{n:%H%M}"))
    yield OddFeed("upper-case", render=linked(lambda link, n: link.replace("http://upper", "HTTP://UPPER")))
    yield OddFeed("relative", render=linked(lambda link, n: "/" + link.split("/", 3)[3]))
    yield OddFeed("no-scheme", render=linked(lambda link, n: link.removeprefix("http:")))
    yield OddFeed("padded", render=linked(lambda link, n: f"\n  {link}\n"))
    yield OddFeed(
        "both-schemes", render=linked(lambda link, n: link.replace("http:", "https:" if n.day % 2 else "http:"))
    )
    yield OddFeed("twice", render=lambda f, s, n: rss(f, [one for one in s for _ in (0, 1)]))
    yield OddFeed("rotating-guids", render=lambda f, s, n: re.sub(
        rb"<link>", b"<guid isPermaLink='false'>" + n.isoformat().encode() + b"</guid><link>", rss(f, s)))  # fmt: skip


def written_oddly() -> Iterator[OddFeed]:
    yield OddFeed("gzip", render=lambda f, s, n: gzip.compress(rss(f, s)))
    yield OddFeed("utf-16", render=lambda f, s, n: rss(f, s).decode().encode("utf-16"))
    yield OddFeed("bom", render=lambda f, s, n: b"\xef\xbb\xbf" + rss(f, s))
    yield OddFeed("leading-blanks", render=lambda f, s, n: b"\n\n " + rss(f, s))
    yield OddFeed("cut-off", render=lambda f, s, n: rss(f, s)[: -len("</channel></rss>")])
    yield OddFeed("bare-ampersands", render=lambda f, s, n: rss(f, s, "<description>A & B</description>"))
    yield OddFeed("stray-bytes", render=lambda f, s, n: rss(f, s, "<description>\x01\x02</description>"))
    yield OddFeed("windows-1252", render=lambda f, s, n: b"<?xml version='1.0' encoding='windows-1252'?>" + rss(f, s))


def indexes() -> Iterator[OddFeed]:
    def index(
        count: int, broken: int = 0, status: int = 404
    ) -> Callable[[OddFeed, FetchRequest, datetime], Answer | None]:
        def answer(feed: OddFeed, request: FetchRequest, now: datetime) -> Answer:
            if request.url == feed.url:
                children = "".join(f"<sitemap><loc>/part-{number}.xml</loc></sitemap>" for number in range(count))
                return f"<sitemapindex>{children}</sitemapindex>".encode()
            number = int(request.url.rpartition("-")[2].removesuffix(".xml"))
            return (
                status
                if number < broken
                else news_sitemap(feed, feed.stories(now)[number - broken :: count - broken], now)
            )

        return answer

    yield OddFeed("index-3", answer=index(3))
    yield OddFeed("index-12", 24, answer=index(12))
    yield OddFeed("index-with-gaps", answer=index(4, broken=2))
    note = "HTTP 404 Not Found; none of 3 sitemaps of the index could be read"
    yield OddFeed("index-of-nothing", answer=index(3, broken=3), status="HTTP 404 Not Found", notes=note, finds=False)
    note = "HTTP 429 Too Many Requests; none of 1 sitemaps of the index could be read"
    yield OddFeed("index-busy", answer=index(6, broken=6, status=429), status="HTTP 429 Too Many Requests", notes=note,
                  finds=False)  # fmt: skip


def every_odd_feed() -> list[OddFeed]:
    """All of them."""
    families = (well_behaved, dated_oddly, with_validators, with_wishes, refusing, flaky, moving, linked_oddly, written_oddly,
                indexes)  # fmt: skip
    return [feed for family in families for feed in family()]

"""A small data folder, made by the real parser, index, archive and ledger, for looking at the pages."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from html import escape
from pathlib import Path

from tearsheet.app.pipelines import archiver
from tearsheet.app.services import Services
from tearsheet.engines.broker.port import Message, Output
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.pipeline.importer import Importer
from tearsheet.pipeline.parser import Parser
from tearsheet.settings import load_settings
from tearsheet.story import HTTPMetadata, RawHTML, RSSEntry, Story, encode_story, make_story_id
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic, Topic
from tearsheet.topics.snapshot.store import save_snapshot
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores.links import RoutedLink, save_links
from tearsheet.topics.spider.web_story import WebStory
from tearsheet.urls import url_hash
from tearsheet.work.ledger_entry import DONE, DROPPED, QUARANTINED, LedgerEntry, entry_for
from tests.support.archive_stories import archive_all
from tests.support.topic_rows import add_members

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
TODAY = NOW.date()
HOSTILE_TITLE = 'Mayor says <script>alert("1")</script> & goes home'

_PROSE = {
    "en": "The council of the harbour town met on Tuesday to discuss the new climate plan and its price. Residents asked who "
    "would pay for the higher sea wall, and the mayor answered that the ministry had promised half of the money. "
    "An engineer explained how the tides have changed over thirty years and why the old wall will not hold for long.",
    "de": "Der Rat der Hafenstadt beriet am Dienstag über den neuen Klimaplan und seine Kosten. Viele Bürger wollten wissen, wer "
    "die höhere Mauer am Meer bezahlen soll, und die Bürgermeisterin verwies auf die Zusage des Ministeriums. Eine Ingenieurin "
    "erklärte, wie sich die Gezeiten in dreißig Jahren verändert haben und warum die alte Mauer nicht mehr lange hält.",
    "fr": "Le conseil de la ville portuaire s'est réuni mardi pour discuter du nouveau plan pour le climat et de son prix. Des "
    "habitants ont demandé qui paierait la digue plus haute, et la maire a répondu que le ministère avait promis la moitié de "
    "l'argent. Une ingénieure a expliqué comment les marées ont changé en trente ans et pourquoi l'ancienne digue ne tiendra pas.",
    "ja": "港町の議会は火曜日に集まり、新しい気候計画とその費用について話し合いました。住民は高い堤防の費用を誰が払うのかと尋ね、"
    "市長は国が半分を約束したと答えました。技術者は三十年のあいだに潮がどのように変わったか、そして古い堤防がなぜ長くはもたないのかを説明しました。"
    "議会は来月もう一度集まり、計画について投票する予定です。町の人々は投票の結果を待っています。"
    "港の近くに住む人々は、毎年のように高潮の被害を受けていると話しました。新しい堤防ができれば安心して暮らせるという声もありました。",
    "ar": "اجتمع مجلس المدينة الساحلية يوم الثلاثاء لمناقشة خطة المناخ الجديدة وتكلفتها. وسأل السكان عمن سيدفع ثمن الجدار البحري "
    "الأعلى، فأجاب رئيس البلدية بأن الوزارة وعدت بنصف المال. وشرحت مهندسة كيف تغير المد والجزر خلال ثلاثين عاما ولماذا لن يصمد "
    "الجدار القديم طويلا. وسيجتمع المجلس مرة أخرى في الشهر المقبل للتصويت على الخطة.",
}
_SITES = (
    ("harbour-herald.example", "en", 14),
    ("morning-gazette.example", "en", 9),
    ("nordkurier-test.example", "de", 6),
    ("le-quotidien.example", "fr", 4),
    ("minato-shimbun.example", "ja", 3),
    ("al-marsa.example", "ar", 2),
)
_SUBJECTS = (
    "Council weighs climate plan", "Harbour wall to rise by two metres", "Fishermen fear for their catch", "New ferry on its way",
    "School opens its doors again", "Storm leaves thousands without light", "Election day draws near",
    "Museum finds a lost painting",
    "Trains will run at night", "Farmers count a poor harvest", "Library lends out telescopes", "A bridge is closed for good",
    "Doctors ask for more beds", "Old cinema sold",
)  # fmt: skip


@dataclass(slots=True)
class Seeded:
    """What was put in: the truth that tests count by."""

    stories: list[Story]
    dropped: int
    quarantined: int

    def id_of(self, number: int) -> str:
        """The id in the index of one story."""
        content = self.stories[number].content_metadata
        return url_hash(content.url or "")


def article(host: str, language: str, number: int, day: date) -> Story:
    """One fetched page."""
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    title = HOSTILE_TITLE if (host, number) == ("harbour-herald.example", 0) else f"{subject} ({host.split('.')[0]})"
    url = f"https://{host}/{day:%Y/%m/%d}/story-{number}"
    text = "".join(f"<p>{escape(_PROSE[language])} {subject}.</p>" for _ in range(2 + number % 3))
    html = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta property="article:published_time" content="{day}T08:00:00Z">'
        f'<script>window.parent.document.title = "taken over"</script></head>'
        f"<body><h1>{escape(title)}</h1><article>{text}</article></body></html>"
    )
    return Story(
        id=make_story_id("seed", url),
        rss_entry=RSSEntry(link=url, title=title, domain=host, source_source_id=1 + _hosts().index(host)),
        raw_html=RawHTML(html.encode()),
        http_metadata=HTTPMetadata(200, (NOW - timedelta(minutes=number)).timestamp(), url, "utf-8"),
    )


def _hosts() -> list[str]:
    return [host for host, _, _ in _SITES]


def articles() -> list[Story]:
    """Every page of the little web."""
    return [
        article(host, language, number, TODAY - timedelta(days=(number * number) % 23 + place))
        for place, (host, language, count) in enumerate(_SITES)
        for number in range(count)
    ]


def open_services(data: Path, **flags: object) -> Services:
    """The services of a data folder."""
    return Services(load_settings(data, flags, environ={}))


def seed(services: Services, *, archive: bool = True) -> Seeded:
    """Fill a data folder."""
    parser = Parser(clock=lambda: NOW.timestamp())
    stories = [parser.process(story) for story in articles()]
    for place, story in enumerate(stories):
        parsed = NOW - timedelta(minutes=len(stories) - place)
        story.content_metadata.parsed_date = parsed.strftime("%Y-%m-%dT%H:%M:%S.%f")
    Importer(services.index).process_batch(stories)
    services.index.refresh()
    if archive:
        archive_all(archiver(services, services.settings.archive.prefix), stories)
    entries = [
        replace(entry_for(story, stage), status=DONE)
        for story in stories
        for stage in ("fetcher", "parser", "importer", "archiver")
    ]
    left_out = list(_left_out())
    services.ledger.record(entries + left_out)
    _catalogue(services)
    seed_topic(services)
    asyncio.run(_queue(services, stories[:3]))
    return Seeded(
        stories,
        sum(entry.status == DROPPED for entry in left_out),
        sum(entry.status == QUARANTINED for entry in left_out),
    )


def _left_out():
    plan = (
        ("fetcher", DROPPED, "http-404", 7, "404 Not Found"), ("importer", DROPPED, "dups", 5, ""),
        ("fetcher", DROPPED, "robots", 3, ""), ("parser", DROPPED, "too-short", 4, "120 characters"),
        ("fetcher", DROPPED, "http-5xx", 2, "502 Bad Gateway"), ("parser", QUARANTINED, "timeout", 1, "took longer than 30 s"),
    )  # fmt: skip
    for stage, status, reason, count, detail in plan:
        for number in range(count):
            url = f"https://harbour-herald.example/gone/{reason}/{number}"
            base = LedgerEntry(make_story_id(url), stage, status, reason, detail, 1, 1, "harbour-herald.example", url)
            yield replace(base, url="javascript:alert(1)") if (reason, number) == ("too-short", 0) else base


def seed_topic(services: Services, name: str = "<Floods>") -> Topic:
    """A topic of three stories of three sources with one snapshot."""
    database = services.database
    made = store.create_topic(database, NewTopic(name, "flood", date(2024, 1, 1)), 1.0)
    stories = [
        WebStory(f"{i:064}", f"http://{name}.example/1", f"{name}.example", f"A <b>flood</b> at {name}", "page", date(2024, 1, 2),
                 "meta", text="x")
        for i, name in enumerate(("harbour", "river", "coast"))
    ]  # fmt: skip
    add_members(database, made, *stories, spidered=False)
    links = [RoutedLink(MinedLink(story.url, story.id, "anchor"), Route.END, story.id) for story in stories[1:]]
    save_links(database, made.id, stories[0].id, 0, links)
    save_snapshot(database, made, note="first")
    return made


def _catalogue(services: Services) -> None:
    feeds = [
        NewFeed(f"https://{host}/feed.xml", name=f"{host} news", source_name=host.split(".")[0].replace("-", " ").title(),
                homepage=f"https://{host}/", collections=("All test papers", *(("English papers",) if language == "en" else ())))
        for host, language, _ in _SITES
    ]  # fmt: skip
    add_feeds(services.database, feeds, NOW)


async def _queue(services: Services, stories: list[Story]) -> None:
    broker = services.open_broker()
    wires = [encode_story(story) for story in stories]
    await broker.publish([Output("fetcher-in", Message(wire.meta, page=wire.page)) for wire in wires])
    await broker.close()

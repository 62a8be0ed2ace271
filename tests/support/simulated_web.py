"""A simulated web for topics, and the truth about it, which is known by construction: nothing here uses the spider."""

from __future__ import annotations

import asyncio
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

from tests.support.loopback_web import Request, response

QUERY = "zanzibar AND harvest"
START, END = date(2024, 3, 1), date(2024, 4, 30)
BOILERPLATE = "Our readers follow the zanzibar harvest every single day, and you can join them for less than a coffee."
_WORDS = """amber basket cedar dial ember fable garnet hollow island jigsaw kettle lantern marble needle orchard pebble quarry
ribbon saddle timber umbrella velvet willow yonder anchor border candle desert engine forest glacier harbour igloo jungle
kernel ladder meadow north ocean pepper quiver river silver tunnel urchin valley window yellow""".split()


@dataclass
class Page:
    number: int
    site: str
    kind: str
    """`on`, `off`, `boilerplate`, `old` (on topic, out of the dates) or `broken` (never answers with a page)."""
    day: date
    title: str
    links: list[tuple[int | None, str, str]] = field(default_factory=list)
    """Target (None: nothing there), address as written, and form: `anchor`, `text` or `aside`."""
    failures: tuple[str, ...] = ()
    """Statuses of the first answers."""
    extra: int = 0
    """More sentences, so that it is the one that is kept."""

    @property
    def shares(self) -> int | None:
        """What the Graph API says of it; of some it says that it does not know them."""
        return None if self.number % 11 == 0 else self.number * 37 % 501

    @property
    def host(self) -> str:
        return self.site

    @property
    def path(self) -> str:
        return f"/{self.day:%Y/%m}/page-{self.number}.html"

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.path}"


@dataclass
class Truth:
    """What a snapshot must hold: iteration and source by address, and the links between."""

    stories: dict[str, tuple[int, str]]
    links: set[tuple[str, str]]
    not_relevant: set[str]
    days: dict[str, date]
    shares: dict[str, int | None]


class SimulatedWeb:
    """Sites, pages and links from a seed number."""

    page_type = Page

    def __init__(self, sites: int, pages: int, seed: int = 1, max_iterations: int = 5) -> None:
        self.rng = random.Random(seed)
        self.max_iterations = max_iterations
        self.sites = [f"site{number:02}.example" for number in range(sites)]
        self.duplicate_media = {self.sites[1]: self.sites[0], self.sites[2]: self.sites[1]}
        self.twins: dict[int, int] = {}
        """Pages with the title of another one of the same source and day: the one that goes, the one that stays."""
        self.pages: list[Page] = []
        self.asked: dict[str, int] = defaultdict(int)
        self._make_pages(pages)
        self._make_chain()
        self._make_twins(max(4, pages // 30))
        self._make_links()
        self.seeds = self._choose_seeds()
        self._by_place = {(page.host, page.path): page for page in self.pages}

    # How it is made

    def _new(self, site: str, kind: str, day: date, title: str = "") -> Page:
        number = len(self.pages)
        title = title or " ".join([f"N{number}", *self.rng.sample(_WORDS, 4)]).title()
        page = self.page_type(number, site, kind, day, title)
        self.pages.append(page)
        return page

    def _make_pages(self, count: int) -> None:
        kinds = ["on"] * 60 + ["off"] * 25 + ["boilerplate"] * 5 + ["old"] * 6 + ["broken"] * 4
        span = (END - START).days
        for _ in range(count):
            kind = self.rng.choice(kinds)
            day = START + timedelta(days=self.rng.randrange(span + 1))
            if kind == "old":
                day = START - timedelta(days=self.rng.randrange(5, 300))
            if kind == "boilerplate":
                day = START + timedelta(days=3)  # all in one week, so that each has peers
            page = self._new(self.rng.choice(self.sites), kind, day)
            if kind == "broken":
                page.failures = (self.rng.choice(["404 Not Found", "500 Server Error", "410 Gone"]),) * 99
            elif self.rng.random() < 0.05:
                page.failures = (self.rng.choice(["429 Too Many Requests", "500 Server Error", "503 Busy"]),)
        for site in self.sites:
            for _ in range(2):
                self._new(site, "boilerplate", START + timedelta(days=3))

    def _make_chain(self) -> None:
        """A chain that is longer than the limit: its end is out of reach."""
        self.chain = [
            self._new(self.sites[i % len(self.sites)], "on", START + timedelta(days=i))
            for i in range(self.max_iterations + 4)
        ]
        for page, following in zip(self.chain, self.chain[1:], strict=False):
            page.links.append((following.number, following.url, "anchor"))

    def _make_twins(self, count: int) -> None:
        originals = [page for page in self.pages if page.kind == "on" and page not in self.chain]
        for page in self.rng.sample(originals, min(count, len(originals))):
            twin = self._new(page.site, "on", page.day, f"The PollScene: {page.title}")
            page.extra = 20
            self.twins[twin.number] = page.number

    def _make_links(self) -> None:
        chain = {page.number for page in self.chain}
        targets = [page for page in self.pages if page.number not in chain]
        for page in self.pages:
            if page.number in chain:
                continue
            for target in self.rng.sample(targets, self.rng.choice([0, 1, 2, 3, 4, 6])):
                if target is not page:
                    form = self.rng.choice(["anchor", "anchor", "text"])
                    page.links.append((target.number, self._address(target), form))
            if self.rng.random() < 0.1:
                page.links.append((None, f"http://{self.rng.choice(self.sites)}/gone/{page.number}.html", "anchor"))
            if self.rng.random() < 0.2:
                beside = self.rng.choice(targets)
                page.links.append((beside.number, beside.url, "aside"))

    def _address(self, target: Page) -> str:
        choice = self.rng.random()
        if choice < 0.1:
            return f"http://short.example/{target.number}"
        if choice < 0.2:
            return f"http://{target.host}/moved/{target.number}"
        if choice < 0.3:
            return f"{target.url}?utm_source=x&fbclid=y#top"
        if choice < 0.4:
            return f"http://www.{target.host}{target.path}"
        return target.url

    def _choose_seeds(self) -> list[str]:
        own = {}
        for page in self.pages:
            if page.kind == "boilerplate":
                own[page.number] = page.url
        pool = [page for page in self.pages if page not in self.chain and page.kind != "boilerplate"]
        for page in self.rng.sample(pool, max(6, len(pool) // 100)):
            own[page.number] = self._address(page)
        own[self.chain[0].number] = self.chain[0].url
        self.seed_numbers = sorted(own)
        return [own[number] for number in self.seed_numbers]

    # What it says

    def html(self, page: Page) -> str:
        rng = random.Random(page.number)

        def sentence(*words: str) -> str:
            chosen = [*rng.sample(_WORDS, 12), *words, f"x{page.number}y{rng.randrange(10**9)}"]
            return " ".join(chosen).capitalize() + "."

        topical = {"on": ("zanzibar", "harvest"), "old": ("zanzibar", "harvest"), "off": ("zanzibar",)}.get(
            page.kind, ()
        )
        paragraphs = [f"<p>{sentence(*topical)} {sentence()}</p>"]
        paragraphs += [f"<p>{sentence()} {sentence()}</p>" for _ in range(page.extra // 2)]
        for _, url, form in page.links:
            if form == "anchor":
                paragraphs.append(f'<p>{sentence()} As <a href="{url}">others wrote</a>: {sentence()}</p>')
            elif form == "text":
                paragraphs.append(f"<p>{sentence()} See {url} for more. {sentence()}</p>")
        if page.kind == "boilerplate" or (page.kind == "on" and page.number % 7 == 0):
            paragraphs.append(f"<p>{BOILERPLATE}</p>")
        aside = "".join(f'<li><a href="{url}">beside</a></li>' for _, url, form in page.links if form == "aside")
        return (
            f'<html><head><title>{page.title}</title><meta property="og:title" content="{page.title}">'
            f'<meta property="article:published_time" content="{page.day}T10:00:00Z"></head><body>'
            f'<nav><a href="/tag/x">x</a></nav><article><h1>{page.title}</h1>{"".join(paragraphs)}</article>'
            f"<aside><ul>{aside}</ul></aside></body></html>"
        )

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.host.removeprefix("www.")
        path = request.path.partition("?")[0]
        if host == "graph.example":
            writer.write(self._graph_answer(request.path))
            return
        if host == "short.example" or path.startswith("/moved/"):
            target = self.pages[int(path.rpartition("/")[2])]
            writer.write(response(b"", "301 Moved", (f"Location: {target.url}",)))
            return
        page = self._by_place.get((host, request.path)) or self._by_place.get((host, path))
        if page is None:
            writer.write(response(b"<html>gone</html>", "404 Not Found"))
            return
        self.asked[page.url] += 1
        if self.asked[page.url] <= len(page.failures):
            writer.write(response(b"sorry", page.failures[self.asked[page.url] - 1]))
        else:
            writer.write(response(self.html(page).encode()))

    def _graph_answer(self, path: str) -> bytes:
        """The Graph API. It is asked for a page by any of its addresses."""
        address = parse_qs(urlsplit(path).query)["id"][0]
        page = self.pages[self.number_of(address)]
        said: dict[str, object] = {"engagement": {"share_count": page.shares, "comment_count": 1, "reaction_count": 2}}
        if page.shares is None:
            said = {"error": {"code": 100, "message": "unknown address"}}
        return response(json.dumps(said).encode(), headers=("Content-Type: application/json",))

    def number_of(self, address: str) -> int:
        """The page that an address leads to."""
        return int("".join(c for c in urlsplit(address).path.rpartition("/")[2] if c.isdigit()))

    # What is true

    def is_followed(self, target: Page) -> bool:
        """Whether the topic follows links to a page."""
        return True

    def has_room(self, source: Page, target: Page) -> bool:
        """Whether a page that is found by a link of another may be taken."""
        return True

    def truth(self, max_stories: int | None = None) -> Truth:
        """What a topic finds; with a size budget, the first of it: by iteration, then by finder and place."""
        level: dict[int, int] = {}
        followed = [number for number in self.seed_numbers if self.is_followed(self.pages[number])]
        seen = set(followed)
        wave = [number for number in followed if self.pages[number].kind == "on"]
        for depth in range(self.max_iterations + 1):
            following = []
            for number in wave:
                level[number] = depth
            if depth == self.max_iterations:
                break
            for number in wave:
                for target, _, form in sorted(self.pages[number].links, key=lambda link: link[2]):  # anchors, then text
                    if target is None or form == "aside" or target in seen or not self.is_followed(self.pages[target]):
                        continue
                    seen.add(target)
                    if self.pages[target].kind == "on" and self.has_room(self.pages[number], self.pages[target]):
                        following.append(target)
            wave = following
        return self._merged(dict(list(level.items())[:max_stories]), seen)

    def _merged(self, level: dict[int, int], seen: set[int]) -> Truth:
        found_at = dict(level)
        stays = {number: number for number in level}
        for gone, kept in self.twins.items():
            if gone in level and kept in level:
                stays[gone] = kept
                level[kept] = min(level[kept], level[gone])
        links = set()
        for number in stays:
            if found_at[number] >= self.max_iterations:
                continue  # its links are not followed
            for target, _, form in self.pages[number].links:
                if form != "aside" and target in stays and stays[number] != stays[target]:
                    links.add((self.pages[stays[number]].url, self.pages[stays[target]].url))
        stories = {
            self.pages[kept].url: (level[kept], self.media(self.pages[kept].site)) for kept in set(stays.values())
        }
        out = {self.pages[n].url for n in seen if self.pages[n].kind in ("boilerplate", "old")}
        kept_pages = {page.url: page for page in (self.pages[number] for number in set(stays.values()))}
        days = {url: page.day for url, page in kept_pages.items()}
        return Truth(stories, links, out, days, {url: page.shares for url, page in kept_pages.items()})

    def media(self, site: str) -> str:
        while site in self.duplicate_media:
            site = self.duplicate_media[site]
        return site

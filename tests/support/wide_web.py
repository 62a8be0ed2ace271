"""A wider simulated web: platforms, wrapped addresses, copies, traps and slow hosts; and the truth about it."""

from __future__ import annotations

import asyncio
import html
from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from tests.support.loopback_web import Request, response
from tests.support.simulated_web import START, Page, SimulatedWeb, Truth

FORMS = ("{}.example",) * 8 + (
    "{}.substack.com", "{}.wordpress.com", "{}.blogspot.com", "{}.tumblr.com", "medium.com/@{}", "mastodon.social/@{}",
    "t.me/{}", "x.com/{}", "youtube.com/@{}",
)  # fmt: skip
"""Whose pages there are: half of the sources are papers, the others are accounts."""
POSTS = ("mastodon.social", "t.me", "x.com", "youtube.com")
NO_NEWS = ("x.com", "youtube.com")
WRAPPERS = (
    "http://web.archive.org/web/20240301120000/{}", "http://archive.ph/2024/{}", "http://www.google.com/url?sa=t&q={q}",
    "http://l.facebook.com/l.php?u={q}&h=AT0", "http://t.umblr.com/redirect?z={q}", "http://paper.cdn.ampproject.org/c/{bare}",
    "http://www.google.com/amp/{bare}", "http://vk.com/away.php?to={q}",
    "http://l.facebook.com/l.php?u=http%3A%2F%2Fweb.archive.org%2Fweb%2F2024%2F{q}",
)  # fmt: skip
WRAPPING = frozenset(urlsplit(form).hostname or "" for form in WRAPPERS)
CACHE = "paper.cdn.ampproject.org"
TRAP_PAGES = 31
_POST_ID = 10**17


@dataclass
class WidePage(Page):
    """A page of a paper, or of an account on a platform, which has its own form of addresses."""

    @property
    def host(self) -> str:
        return self.site.partition("/")[0]

    @property
    def path(self) -> str:
        host, _, account = self.site.partition("/")
        paths = {
            "medium.com": f"/{account}/page-{self.number}",
            "mastodon.social": f"/{account}/{_POST_ID + self.number}",
            "t.me": f"/{account}/{self.number}",
            "x.com": f"/{account}/status/{self.number}",
            "youtube.com": f"/watch?v={self.number:011}",
        }
        return paths.get(host) or f"/{self.day:%Y/%m}/page-{self.number}.html"


class WideWeb(SimulatedWeb):
    """Sources of all kinds, of which some are traps and some are slow."""

    page_type = WidePage

    def __init__(
        self, sites: int, pages: int, seed: int = 1, *, cap: int = 5, iterations: int = 6, platforms: bool = True
    ) -> None:
        self.cap = cap
        self.platforms = platforms
        self.brought: Counter[str] = Counter()
        self.over_cap: set[int] = set()
        self.hosts_asked: Counter[str] = Counter()
        super().__init__(sites, pages, seed, max_iterations=iterations)

    def _make_pages(self, count: int) -> None:
        names = [FORMS[number % len(FORMS)].format(f"site{number:03}") for number in range(3, len(self.sites))]
        self.sites[3:] = names
        self.slow = set(self.sites[5::20])
        super()._make_pages(count)

    def _choose_seeds(self) -> list[str]:
        super()._choose_seeds()
        papers = [page for page in self.pages if page.kind == "on" and page not in self.chain]
        own = {number: self.pages[number].url for number in self.seed_numbers}
        own |= {page.number: self._address(page) for page in self.rng.sample(papers, len(papers) // 10)}
        self.seed_numbers = sorted(own)
        self.traps = [f"trap{number}.example" for number in range(max(1, len(self.sites) // 40))]
        for trap in self.traps:
            calendar = [self._new(trap, "on", START) for _ in range(TRAP_PAGES)]
            for number, page in enumerate(calendar):
                for child in (2 * number + 1, 2 * number + 2):
                    url = calendar[child].url if child < TRAP_PAGES else f"http://{trap}/endless/{child}"
                    page.links.append((calendar[child].number if child < TRAP_PAGES else None, url, "anchor"))
            for paper in self.rng.sample([page for page in papers if page.number in own], 3):
                paper.links.append((calendar[0].number, calendar[0].url, "anchor"))
        return [own[number] for number in self.seed_numbers]

    def _address(self, target: Page) -> str:
        choice = self.rng.random()
        if choice < 0.2:
            form = self.rng.choice(WRAPPERS)
            return form.format(target.url, q=quote(target.url, safe=""), bare=target.url.removeprefix("http://"))
        if choice < 0.25:
            return f"http://short.example/cache/{target.number}"
        if choice < 0.3 and target.host.endswith(".example"):
            return f"http://{target.host}/print/{target.number}"
        if choice < 0.4 and target.host == "x.com":
            return f"http://twitter.com{target.path}"
        if choice < 0.5:
            mark = "&" if "?" in target.path else "?"
            return f"{target.url}{mark}utm_source=x&fbclid=y#top"
        return super()._address(target) if choice < 0.8 and "?" not in target.path else target.url

    # What it says

    def html(self, page: Page) -> str:
        text = super().html(page)
        head = f'<link rel="canonical" href="{page.url}">'
        if page.host in POSTS:
            said = " ".join(part.partition("</p>")[0] for part in text.split("<p>")[1:])
            plain = said.replace('<a href="', "\0").split("\0")
            told = plain[0] + "".join(part.partition('">')[2] for part in plain[1:])
            head += f'<meta property="og:description" content="{html.escape(told.replace("</a>", ""))}">'
        if page.host == "youtube.com":
            text = text.replace(
                "<nav>", f'<span itemprop="author"><link itemprop="url" href="http://{page.site}"></span><nav>'
            )
        return text.replace("</head>", f"{head}</head>")

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        host = request.host.removeprefix("www.")
        self.hosts_asked[host] += 1
        if host.partition(".")[0] in {site.partition(".")[0] for site in self.slow}:
            await asyncio.sleep(0.02)  # how long the server takes, while others are asked
        if not self._answer_for_others(host, request.path, writer):
            await super().answer(request, writer)

    def _answer_for_others(self, host: str, path: str, writer: asyncio.StreamWriter) -> bool:
        """What is no page of its own: redirects to caches and between names of a platform, and pages at second addresses."""
        last = path.rpartition("/")[2]
        if host == "twitter.com":
            writer.write(response(b"", "301 Moved", (f"Location: http://x.com{path}",)))
        elif host == "short.example" and path.startswith("/cache/"):
            bare = self.pages[int(last)].url.removeprefix("http://")
            writer.write(response(b"", "301 Moved", (f"Location: http://{CACHE}/c/{bare}",)))
        elif host == CACHE:
            writer.write(response(b"<html><title>A copy</title><p>zanzibar harvest</p></html>"))
        elif path.startswith("/print/"):
            target = self.pages[int(last)]
            broken = target.kind == "broken"
            writer.write(response(b"sorry", target.failures[0]) if broken else response(self.html(target).encode()))
        else:
            return False
        return True

    def number_of(self, address: str) -> int:
        parts = urlsplit(address)
        place = f"{parts.path}?{parts.query}" if parts.query.startswith("v=") else parts.path
        host = (parts.hostname or "").removeprefix("www.").replace("twitter.com", "x.com")
        if (page := self._by_place.get((host, place.partition("&")[0]))) is not None:
            return page.number
        return int(place.rpartition("/")[2])

    # What is true

    def is_followed(self, target: Page) -> bool:
        return self.platforms or target.host not in NO_NEWS

    def has_room(self, source: Page, target: Page) -> bool:
        if source.site != target.site:
            return True
        if self.brought[target.site] >= self.cap:
            self.over_cap.add(target.number)
            return False
        self.brought[target.site] += 1
        return True

    def truth(self, max_stories: int | None = None) -> Truth:
        self.brought.clear()
        self.over_cap.clear()
        found = super().truth(max_stories)
        assert all(count < self.cap for site, count in self.brought.items() if site not in self.traps), "only traps are"
        return found

    def _merged(self, level: dict[int, int], seen: set[int]) -> Truth:
        self.found_at = dict(level)
        return super()._merged(level, seen)

    def left_out(self) -> dict[str, str]:
        """Why seeds and links are no stories: the beginning of the reason, by the address without `www.`. After `truth`."""
        reasons: dict[str, str] = {}
        seeds = [(self.pages[number], url) for number, url in zip(self.seed_numbers, self.seeds, strict=True)]
        links = [
            (None if number is None else self.pages[number], url)
            for page in self.pages
            if self.found_at.get(page.number, self.max_iterations) < self.max_iterations
            for number, url, form in page.links
            if form != "aside"
        ]
        for target, url in [*seeds, *links]:
            host = target.host if target else urlsplit(url).netloc
            if host in NO_NEWS and not self.platforms:
                reasons[self._name(target, url)] = "a platform"
            elif target is None:
                reasons[self._name(target, url)] = "http-404"
            elif target.kind == "broken":
                status = target.failures[0][:3]
                reasons[self._name(target, url)] = "http-404" if status == "404" else f"http-{status[0]}xx"
        return reasons

    @staticmethod
    def _name(target: Page | None, url: str) -> str:
        return target.url if target else url

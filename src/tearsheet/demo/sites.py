"""The publications of the newsroom. All names are invented, and all hosts are under `.example`."""

from __future__ import annotations

from tearsheet.demo.languages import LANGUAGES
from tearsheet.demo.model import FeedFormat, Site

SHORTENER = "nws.example"
"""A host that only redirects."""
CLOSED_HOST = "closed-gazette.example"
"""A host that refuses connections."""

RSS, ATOM, RDF, JSON, SITEMAP = FeedFormat

_NAMED = (
    Site("harbour-herald.example", "The Harbour Herald", ("en",), (RSS,), "dated", "json-ld", "broadsheet", compress=True),
    Site(
        "lighthouse-ledger.example", "The Lighthouse Ledger", ("en",), (ATOM,), "numbered", "time", "modern", "divs",
        www="redirect",
    ),
    Site(
        "veldener-bote.example", "Veldener Bote", ("de",), (RDF,), "section", "meta", "broadsheet",
        charsets=("windows-1252",), charset_in="meta",
    ),
    Site("gazette-du-cap.example", "La Gazette du Cap", ("fr",), (RSS,), "query", "microdata", "tabloid", "microdata"),
    Site("brujula-austral.example", "La Brújula Austral", ("es",), (JSON,), "dated", "url", "magazine", www="redirect"),
    Site("diario-das-mares.example", "Diário das Marés", ("pt",), (ATOM,), "slash", "text", "modern", compress=True),
    Site(
        "tide-review.example", "潮汐评论", ("zh", "ja"), (SITEMAP, RSS), "unicode", "dc", "magazine", "divs",
        charsets=("utf-8", "shift_jis"), charset_in="header",
    ),
    Site("sahifat-almina.example", "صحيفة الميناء", ("ar",), (RSS,), "mixed", "none", "tabloid", charset_in="meta"),
    Site(
        "minato-tsushin.example", "港通信", ("ja",), (RDF,), "numbered", "json-ld-graph", "broadsheet",
        charsets=("euc_jp",), www="redirect",
    ),
    Site("northern-dispatch.example", "Northern Dispatch", ("en",), (SITEMAP,), "section", "meta", "modern"),
    Site("morgen-am-meer.example", "Morgen am Meer", ("de",), (JSON,), "dated", "json-ld", "magazine", "microdata"),
    Site("petit-phare.example", "Le Petit Phare", ("fr",), (ATOM,), "slash", "time", "broadsheet", "divs"),
)  # fmt: skip
_FIRST = ("coastal", "river", "upland", "island", "market", "valley", "granite", "amber", "meadow", "northern")
_SECOND = ("courier", "observer", "post", "record", "chronicle", "sentinel", "mirror", "voice", "argus", "bulletin")


def make_sites(count: int) -> tuple[Site, ...]:
    """The first `count` publications: a dozen with a character of their own, then as many plainer ones as needed."""
    return _NAMED[:count] + tuple(_plain_site(number) for number in range(count - len(_NAMED)))


def _plain_site(number: int) -> Site:
    first, second = _FIRST[number % 10], _SECOND[number // 10 % 10]
    round_ = number // 100
    host = f"{first}-{second}{f'-{round_}' if round_ else ''}.example"
    name = f"{first} {second}{f' {round_}' if round_ else ''}".title()
    model = _NAMED[number % len(_NAMED)]
    language = tuple(LANGUAGES)[number % len(LANGUAGES)] if number % 2 else "en"
    feed_format = tuple(FeedFormat)[number % len(FeedFormat)]
    return Site(
        host, name, (language,), (feed_format,), model.address_style, model.date_style, model.theme, model.markup,
        www=model.www, compress=model.compress,
    )  # fmt: skip

"""Feeds of many kinds from other readers' tests and from small sites: each gives entries or one clear reason."""

from __future__ import annotations

import json
import tarfile
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from tearsheet.feeds import FeedError, parse_feed
from tests.support.feed_expectations import bare, read_expected
from tests.support.paths import SHARED_DATA

URL = "http://feeds.example/feed"
NOW = datetime(2026, 11, 15, tzinfo=UTC)

NOT_FEEDS = {
    # Pictures whose metadata is RDF, and descriptions of other projects' expectations.
    "samuelclay__NewsBlur__fountain_pen_2x.psd", "samuelclay__NewsBlur__user_2x.psd", "samuelclay__NewsBlur__mute_feed.ai",
    "dhvcc__rss-parser__expect.json", "dhvcc__rss-parser__expect~2.json", "dhvcc__rss-parser__expect~3.json",
    "dhvcc__rss-parser__expect~4.json", "dhvcc__rss-parser__expect~5.json", "dhvcc__rss-parser__expect~6.json",
}  # fmt: skip
NO_ENTRIES = {
    # Feeds that list nothing, and documents so broken that nothing is left of them.
    "IsraelDiazDev29__IANoticiasCoyoacan__news-sitemap.xml", "crawler-commons__crawler-commons__sitemap.index.xml",
    "eliasdabbas__advertools__error_sitemap.xml", "lemon24__reader__10.json", "lemon24__reader__unknown.json",
    "miniflux__v2__iso-8859-1.xml", "miniflux__v2__windows-1252-incorrect-prolog.xml", "miniflux__v2__windows-1252.xml",
    "mmcdole__gofeed__issue_275_unknown_children.xml", "mmcdole__gofeed__rdf_textinput_mixed_content.xml",
    "mmcdole__gofeed__feed_fallbacks_-_rss_channel_dc.xml", "mmcdole__gofeed__feed_fallbacks_-_rss_channel_itunes.xml",
    "mmcdole__gofeed__feed_image_-_rdf_image.xml", "nicolus__picoFeed__rss_10_empty_channel.xml",
    "nicolus__picoFeed__rss_10_empty_feed.xml", "nicolus__picoFeed__rss_10_fallback_on_invalid_feed_values.xml",
}  # fmt: skip
TRACKED = "the publisher's own link, and not that of the service which counts readers"
OWN_SITE = "relative to the feed's own site"
EXPLAINED = {
    ("dhvcc__rss-parser__data~13.xml", "link"): "a blank is encoded",
    ("feed-rs__feed-rs__atom_example_3.xml", "link"): TRACKED,
    ("feed-rs__feed-rs__rss_2.0_rps.xml", "link"): TRACKED,
    ("rbren__rss-parser__encoding.rss", "link"): TRACKED,
    ("rbren__rss-parser__feedburner.atom", "link"): TRACKED,
    ("rbren__rss-parser__many-links.rss", "link"): TRACKED,
    ("feed-rs__feed-rs__rss_1.0_example_1.xml", "link"): OWN_SITE,
    ("rbren__rss-parser__gulp-atom.atom", "link"): OWN_SITE,
    ("gpodder__podcastparser__chapters.rss", "link"): "an address in this machine's file system is no link",
    (
        "rbren__rss-parser__uolNoticias.rss",
        "title",
    ): "the expectation holds replacement characters where we read the words",
}


@lru_cache(maxsize=1)
def archive() -> tuple[dict[str, Any], dict[str, bytes]]:
    listed = json.loads((SHARED_DATA / "feeds" / "list.json").read_text())
    with tarfile.open(SHARED_DATA / "feeds" / "feeds.tar.xz") as files:
        return listed, {m.name: f.read() for m in files if (f := files.extractfile(m)) is not None}


def test_every_file_gives_entries_or_one_clear_reason(shared_data: Path) -> None:
    listed, files = archive()
    assert len(listed) == 597
    refused, silent, entries = set(), set(), 0
    for name in listed:
        try:
            feed = parse_feed(files[name], URL, now=NOW)
        except FeedError as error:
            assert error.reason == "no version"
            refused.add(Path(name).name)
        else:
            entries += len(feed.entries)
            if not feed.entries:
                silent.add(Path(name).name)
    assert refused == NOT_FEEDS
    assert silent == NO_ENTRIES
    assert entries > 18_000


def test_links_titles_and_dates_agree_with_other_parsers(shared_data: Path) -> None:
    listed, files = archive()
    compared = 0
    unexplained: list[Any] = []
    for name, about in listed.items():
        if "expected" not in about:
            continue
        expected = read_expected(about["origin"], files[about["expected"]])
        mine = parse_feed(files[name], URL, now=NOW).entries
        if len(mine) != len(expected):
            unexplained.append((name, "count", len(mine), len(expected)))
            continue
        for ours, theirs in zip(mine, expected, strict=True):
            compared += 1
            dates = {date.replace(microsecond=0) for date in theirs.dates}
            found = ours.published.replace(microsecond=0) if ours.published else None
            for what, same in (
                ("link", not theirs.links or address(ours.link or "") in map(address, theirs.links)),
                ("title", not theirs.title or bare(ours.title) == bare(theirs.title)),
                ("date", not dates or found in dates),
            ):
                if not same and (Path(name).name, what) not in EXPLAINED:
                    unexplained.append((name, what, ours, theirs))
    assert not unexplained
    assert compared > 1_200


def address(link: str) -> str:
    """For comparing addresses: absolute, host in lower case, blanks and the slash of a bare host left aside."""
    parts = urlsplit(urljoin(URL, "".join(link.split())))
    return parts._replace(netloc=parts.netloc.lower(), path=parts.path if parts.path != "/" else "").geturl()

"""What an entry says beside its title, link and date."""

from __future__ import annotations

import json

from tearsheet.feeds import ParsedFeed, parse_feed
from tearsheet.feeds.formats.model import MAX_NAMED, MAX_TEXT, Enclosure

URL = "https://site.test/feed"


def _rss(item: str, spaces: str = "") -> ParsedFeed:
    return parse_feed(f"<rss version='2.0' {spaces}><channel><item>{item}</item></channel></rss>", URL)


def test_rss() -> None:
    spaces = (
        "xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:dc='http://purl.org/dc/elements/1.1/' "
        "xmlns:media='http://search.yahoo.com/mrss/'"
    )
    [entry] = _rss(
        "<description>Short &lt;b&gt;words&lt;/b&gt;</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded>"
        "<author>a@site.test (Ann)</author><dc:creator>Ben</dc:creator><dc:creator>Ben</dc:creator><category>Ships</category>"
        "<dc:subject>Ports</dc:subject><enclosure url='/a.mp3' type='audio/mpeg' length='12'/>"
        "<media:group><media:content url='https://site.test/b.mp4' fileSize='x'/></media:group>",
        spaces,
    ).entries  # fmt: skip
    assert (entry.summary, entry.content) == ("Short <b>words</b>", "<p>Long</p>")
    assert (entry.authors, entry.categories) == (("a@site.test (Ann)", "Ben"), ("Ships", "Ports"))
    assert entry.enclosures == (
        Enclosure("https://site.test/a.mp3", "audio/mpeg", 12), Enclosure("https://site.test/b.mp4"),
    )  # fmt: skip


def test_atom() -> None:
    [entry] = parse_feed(
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><author><name>Ann</name><email>a@site.test</email></author>"
        "<author><email>b@site.test</email></author><category term='ships' label='Ships'/><category term='ports'/>"
        "<summary>Short</summary><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>Long <b>words</b></div></content>"
        "<link rel='enclosure' href='a.mp3' type='audio/mpeg' length='12'/></entry></feed>",
        URL,
    ).entries
    assert (entry.authors, entry.categories, entry.summary) == (("Ann", "b@site.test"), ("Ships", "ports"), "Short")
    assert entry.content is not None and "Long <b>words</b>" in entry.content
    assert entry.enclosures == (Enclosure("https://site.test/a.mp3", "audio/mpeg", 12),)


def test_json_feed() -> None:
    item = {
        "id": "1", "url": "/a", "content_html": "<p>Long</p>", "summary": "Short", "authors": [{"name": "Ann"}, 7],
        "author": {"name": "Ben"}, "tags": ["ships", None],
        "attachments": [{"url": "/a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 12}],
    }  # fmt: skip
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": [item]})
    [entry] = parse_feed(body, URL).entries
    assert (entry.content, entry.summary, entry.authors) == ("<p>Long</p>", "Short", ("Ann", "Ben"))
    assert (entry.categories, entry.enclosures) == (
        ("ships",),
        (Enclosure("https://site.test/a.mp3", "audio/mpeg", 12),),
    )


def test_base64_of_atom() -> None:
    old = "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><title mode='base64'>TmV3cw==</title>"
    old += "<entry><title mode='base64'>{}</title>"
    old += "<content mode='base64' type='text/html'>PGI+YjwvYj4=</content></entry></feed>"
    feed = parse_feed(old.format("RmVycnkgPGI+c2lua3M8L2I+"), URL)
    assert (feed.title, feed.entries[0].title, feed.entries[0].content) == ("News", "Ferry sinks", "<b>b</b>")
    assert parse_feed(old.format("not base64!"), URL).entries[0].title == "not base64!"


def test_channels_of_windows_98() -> None:
    feed = parse_feed(
        "<?xml version='1.0'?><CHANNEL HREF='http://site.test/' BASE='http://site.test/news/' LASTMOD='2004-04-06T23:05-05:00'>"
        "<TITLE>News</TITLE><ITEM HREF='1.html' LASTMOD='2004-04-06'><TITLE>One</TITLE><ABSTRACT>Short</ABSTRACT></ITEM></CHANNEL>",
        URL,
    )
    [entry] = feed.entries
    assert (feed.title, feed.home, feed.updated is not None) == ("News", "http://site.test/", True)
    assert (entry.link, entry.title, entry.summary) == ("http://site.test/news/1.html", "One", "Short")
    assert entry.published is not None


def test_no_entry_is_larger_than_it_may_be() -> None:
    many = "".join(f"<category>c{number}</category><enclosure url='/{number}'/>" for number in range(3 * MAX_NAMED))
    [entry] = _rss(f"<description>{'x' * (MAX_TEXT + 1)}</description>{many}").entries
    assert (len(entry.summary or ""), len(entry.categories), len(entry.enclosures)) == (MAX_TEXT, MAX_NAMED, MAX_NAMED)

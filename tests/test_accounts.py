"""An account on a publishing platform is a source of its own, however its pages are addressed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.accounts import account_of, name_in_addresses
from tearsheet.lexicon import BY_PATH, BY_SUBDOMAIN, FEDIVERSE_HOSTS
from tearsheet.urls import BadURL, canonical_domain, publisher_of, registered_domain

POST = 112233445566778899
SAME_SOURCE = [
    ("alice.substack.com", ["https://alice.substack.com/p/flood", "https://www.alice.substack.com/", "https://open.substack.com/pub/alice/p/flood?r=1"]),
    ("bob.substack.com", ["http://bob.substack.com"]),
    ("alice.wordpress.com", ["https://alice.wordpress.com/2024/03/01/flood/", "https://en.alice.wordpress.com/"]),
    ("alice.medium.com", ["https://alice.medium.com/flood-1a2b3c4d5e6f"]),
    ("medium.com/@alice", ["https://medium.com/@alice", "https://medium.com/@Alice/flood-1a2b3c4d5e6f?source=rss", "https://medium.com/feed/@alice"]),
    ("medium.com/the-river", ["https://medium.com/the-river/flood-1a2b3c4d5e6f", "https://medium.com/feed/the-river"]),
    ("alice.tumblr.com", ["https://alice.tumblr.com/post/1", "https://www.tumblr.com/alice/712345678/flood", "https://www.tumblr.com/blog/view/alice"]),
    ("alice.livejournal.com", ["https://alice.livejournal.com/123.html", "http://users.livejournal.com/alice/123.html", "https://www.livejournal.com/users/alice"]),
    ("alice.blogspot.com", ["https://alice.blogspot.com/2024/03/flood.html", "http://alice.blogspot.co.uk/", "http://www.alice.blogspot.de/x"]),
    ("youtube.com/@river", ["https://www.youtube.com/@River", "https://m.youtube.com/@river/videos"]),
    ("youtube.com/channel/uc0123456789abcdefghijkl", ["https://www.youtube.com/channel/UC0123456789abcdefghijkl/videos", "https://www.youtube.com/feeds/videos.xml?channel_id=UC0123456789abcdefghijkl"]),
    ("youtube.com/user/river", ["https://youtube.com/user/River", "https://www.youtube.com/feeds/videos.xml?x=1&user=River"]),
    ("x.com/alice", ["https://x.com/alice", "https://twitter.com/Alice/status/1", "https://mobile.twitter.com/alice?s=20", "http://www.twitter.com/alice/"]),
    ("bsky.app/alice.example", ["https://bsky.app/profile/alice.example/post/3k", "https://bsky.app/profile/Alice.example"]),
    ("bsky.app/did:plc:abc123", ["https://bsky.app/profile/did:plc:abc123"]),
    ("t.me/alice", ["https://t.me/alice", "https://t.me/s/alice", "https://t.me/alice/123", "https://telegram.me/Alice", "https://t.me/s/alice/123?before=7"]),
    ("mastodon.social/@alice", [
        f"https://mastodon.social/{path}" for path in ("@alice", "@alice.rss", f"users/alice/statuses/{POST}", f"web/@Alice/{POST}")
    ]),
    ("news.example/@bob", [
        f"https://{path}"
        for path in (f"news.example/@bob/{POST}", f"mastodon.social/@bob@news.example/{POST}", "mastodon.social/@bob@news.example")
    ]),
    ("tiktok.com/@alice", ["https://www.tiktok.com/@alice/video/7212345678901234567"]),
]  # fmt: skip

NO_ACCOUNT = [
    ("https://substack.com/browse", "substack.com"),
    ("https://wordpress.com/", "wordpress.com"),
    ("https://medium.com/tag/flood", "medium.com"),
    ("https://medium.com/p/1a2b3c4d5e6f", "medium.com"),
    ("https://medium.com/about", "medium.com"),
    ("https://www.tumblr.com/tagged/flood", "tumblr.com"),
    ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "youtube.com"),
    ("https://youtu.be/dQw4w9WgXcQ", "youtu.be"),
    ("https://x.com/i/status/1", "x.com"),
    ("https://twitter.com/search?q=flood", "twitter.com"),
    ("https://twitter.com/hashtag/flood", "twitter.com"),
    ("https://x.com/", "x.com"),
    ("https://t.me/+AbCdEf", "t.me"),
    ("https://t.me/joinchat/AbCdEf", "t.me"),
    ("https://t.me/c/123/4", "t.me"),
    ("https://telegra.ph/The-flood-03-01", "telegra.ph"),
    ("https://bsky.app/search?q=flood", "bsky.app"),
    ("https://paper.example/@editor", "paper.example"),
    ("https://paper.example/@editor/the-flood-2024", "paper.example"),
    ("https://paper.example/users/7/statuses", "paper.example"),
    ("https://mastodon.social/explore", "mastodon.social"),
    ("https://evil.example/medium.com/@alice", "evil.example"),
    ("https://notmedium.com/@alice", "notmedium.com"),
    ("https://alice.blogspot.evil.example/", "evil.example"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "urls"), SAME_SOURCE)
def test_every_address_of_an_account_is_of_one_source(source, urls):
    assert {canonical_domain(url) for url in urls} == {source}
    assert {publisher_of(url) for url in urls} == {source}
    assert all(name_in_addresses(source) in url.lower() for url in urls)
    assert publisher_of(f"http://{source}/") == source or source == "news.example/@bob"


@pytest.mark.parametrize(("url", "domain"), NO_ACCOUNT)
def test_where_the_address_names_no_account_the_registered_domain_is_the_source(url, domain):
    assert canonical_domain(url) == domain


def test_an_account_is_found_by_host_path_and_query():
    assert (
        account_of("www.youtube.com", "/feeds/videos.xml", "channel_id=UC7", "youtube.com") == "youtube.com/channel/uc7"
    )
    assert account_of("alice.substack.com", "/", "", "substack.com") == "alice.substack.com"
    assert account_of("paper.example", "/@alice", "", "paper.example") is None
    assert account_of("medium.com", "/@" + "a" * 101, "", "medium.com") is None


def test_the_registered_domain_knows_no_accounts():
    assert registered_domain("https://alice.substack.com/p/flood") == "substack.com"
    assert registered_domain("https://medium.com/@alice") == "medium.com"
    assert registered_domain("http://127.0.0.1/@alice/112233445566778899") == "127.0.0.1"


@given(
    st.sampled_from([*sorted(BY_PATH), *sorted(BY_SUBDOMAIN), *sorted(FEDIVERSE_HOSTS), "a.blogspot.com"]),
    st.text(max_size=30),
    st.text(max_size=30),
)
def test_any_path_has_one_source_which_is_short_and_in_lower_case(host, path, query):
    try:
        source = canonical_domain(f"https://{host}/{path}?{query}")
    except BadURL:
        return
    assert source == source.lower()
    assert len(source) <= 255
    assert not set(source) & set(" \t\r\n\"'<>?#%")

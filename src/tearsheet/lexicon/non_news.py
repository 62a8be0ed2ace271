"""Sites that feeds and pages link to but that publish no news."""

from __future__ import annotations

from functools import lru_cache

from tearsheet.lexicon.addresses import VIDEO_HOSTS

_DOMAINS = VIDEO_HOSTS | frozenset(
    """
    archive.org archive.ph booking.com etsy.com flickr.com goodreads.com iheart.com imdb.com instagram.com linkedin.com
    pinterest.com slideshare.net tiktok.com twitter.com whatsapp.com wikidata.org wikimedia.org wikipedia.org x.com
    """.split()
)
"""A domain stands for itself and its subdomains."""


@lru_cache(maxsize=10_000)
def is_non_news(host: str) -> bool:
    """Whether a host is one of these sites, or a subdomain of one."""
    labels = host.split(".")
    return any(".".join(labels[start:]) in _DOMAINS for start in range(len(labels)))

"""Domains whose pages are never articles, though feeds link to them. Data, apart from the code that uses it."""

from __future__ import annotations

NO_NEWS_DOMAINS = frozenset(
    """
    archive.org archive.ph booking.com etsy.com flickr.com goodreads.com iheart.com imdb.com instagram.com linkedin.com
    pinterest.com slideshare.net tiktok.com twitter.com whatsapp.com wikidata.org wikimedia.org wikipedia.org youtube.com
    """.split()
)

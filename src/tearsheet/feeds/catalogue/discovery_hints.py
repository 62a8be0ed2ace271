"""Types, endings and paths by which feeds are recognised. Data, kept apart from the code that uses it."""

from __future__ import annotations

FEED_TYPES = frozenset(
    """
    application/rss+xml application/atom+xml application/rdf+xml application/feed+json application/x-rss+xml
    application/x.atom+xml application/x-atom+xml application/rss application/atom text/rss text/rss+xml text/atom+xml
    text/xml application/xml application/json
    """.split()
)
FEED_ENDINGS = (".rss", ".rdf", ".atom", ".xml", "/feed", "/feed/", "/rss", "/rss/", "/atom", "feed.json")
FEED_PARTS = ("rss", "atom", "rdf", "feed", "xml")
COMMENT_PARTS = ("comments/feed", "/comments/", "comment feed", "kommentar-feed", "comments feed", "commentaires")

NEWS_SITEMAP_PATHS = tuple(
    """
    news-sitemap.xml sitemap-news.xml sitemap_news.xml news_sitemap.xml sitemap/news.xml sitemaps/news.xml
    google-news-sitemap.xml googlenews.xml news.xml sitemap-google-news.xml
    """.split()
)
ROOT_PATHS = tuple(
    """
    feed rss feed/ rss.xml feed.xml atom.xml index.xml index.rdf feed.json feeds/posts/default rss/ feeds/ ?feed=rss2 rss/index.xml
    rss/news.xml feeds/all.atom.xml sitemap.xml
    """.split()
)
SELF_PATHS = ("feed", "rss", "rss.xml", "feed.xml", "atom.xml", "index.xml")

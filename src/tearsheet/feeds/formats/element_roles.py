"""What each element of the feed formats means, by namespace and name. Data, kept apart from the reader."""

from __future__ import annotations

CORE, DC, SY, MEDIA, CONTENT, BURNER = "core", "dc", "sy", "media", "content", "burner"

KNOWN_NAMESPACES = {
    "": CORE,
    "http://www.w3.org/2005/atom": CORE,
    "https://www.w3.org/2005/atom": CORE,
    "http://purl.org/atom/ns": CORE,
    "http://purl.org/rss/1.0": CORE,
    "http://my.netscape.com/rdf/simple/0.9": CORE,
    "http://channel.netscape.com/rdf/simple/0.9": CORE,
    "http://purl.org/net/rss1.1": CORE,
    "http://backend.userland.com/rss": CORE,
    "http://backend.userland.com/rss2": CORE,
    "http://blogs.law.harvard.edu/tech/rss": CORE,
    "http://cyber.law.harvard.edu/rss/rss.html": CORE,
    "http://www.rssboard.org/rss-specification": CORE,
    "http://purl.org/dc/elements/1.1": DC,
    "http://purl.org/dc/elements/1.0": DC,
    "http://purl.org/dc/terms": DC,
    "http://purl.org/rss/1.0/modules/dcterms": DC,
    "http://purl.org/rss/1.0/modules/syndication": SY,
    "http://search.yahoo.com/mrss": MEDIA,
    "http://www.itunes.com/dtds/podcast-1.0.dtd": MEDIA,
    "http://purl.org/rss/1.0/modules/content": CONTENT,
    "http://rssnamespace.org/feedburner/ext/1.0": BURNER,
    "http://www.pheedo.com/namespace/pheedo": BURNER,
}
"""Maps namespaces, in lower case and without a final `/` or `#`, to the family of their elements."""

PREFIX_NAMESPACES = {
    "dc": "http://purl.org/dc/elements/1.1",
    "dcterms": "http://purl.org/dc/terms",
    "sy": "http://purl.org/rss/1.0/modules/syndication",
    "media": "http://search.yahoo.com/mrss",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "atom": "http://www.w3.org/2005/atom",
    "rss": "http://purl.org/rss/1.0",
}
"""What an undeclared prefix means."""

ENTRY_ROLES = {
    (CORE, "title"): "title",
    (DC, "title"): "othertitle",
    (MEDIA, "title"): "othertitle",
    (CORE, "link"): "link",
    (CORE, "guid"): "guid",
    (CORE, "id"): "guid",
    (CORE, "pubdate"): "published",
    (CORE, "published"): "published",
    (CORE, "issued"): "issued",
    (DC, "date"): "date",
    (DC, "issued"): "issued",
    (DC, "available"): "issued",
    (DC, "created"): "created",
    (CORE, "created"): "created",
    (CORE, "date"): "date",
    (CORE, "updated"): "updated",
    (CORE, "modified"): "updated",
    (DC, "modified"): "updated",
    (BURNER, "origlink"): "original",
    (CORE, "description"): "summary",
    (CORE, "summary"): "summary",
    (CORE, "abstract"): "summary",
    (CORE, "subtitle"): "subtitle",
    (DC, "description"): "subtitle",
    (DC, "abstract"): "subtitle",
    (MEDIA, "summary"): "subtitle",
    (CONTENT, "encoded"): "content",
    (CORE, "content"): "content",
    (CORE, "author"): "author",
    (DC, "creator"): "author",
    (DC, "author"): "author",
    (MEDIA, "author"): "author",
    (CORE, "category"): "category",
    (DC, "subject"): "category",
    (CORE, "enclosure"): "enclosure",
    (MEDIA, "content"): "enclosure",
    (MEDIA, "group"): "group",
}

DATE_ROLES = ("published", "issued", "date", "created")
"""Where to look for a publication date, in this order; the date of the last change comes last."""

CHANNEL_ROLES = {
    (CORE, "item"): "item",
    (CORE, "entry"): "item",
    (CORE, "title"): "title",
    (DC, "title"): "othertitle",
    (CORE, "link"): "link",
    (CORE, "id"): "id",
    (CORE, "updated"): "updated",
    (CORE, "modified"): "updated",
    (DC, "modified"): "updated",
    (CORE, "lastbuilddate"): "updated",
    (CORE, "pubdate"): "made",
    (CORE, "published"): "made",
    (DC, "date"): "made",
    (DC, "issued"): "made",
    (DC, "available"): "made",
    (DC, "created"): "made",
    (CORE, "created"): "made",
    (CORE, "issued"): "made",
    (CORE, "date"): "made",
    (CORE, "ttl"): "ttl",
    (CORE, "skiphours"): "skiphours",
    (CORE, "skipdays"): "skipdays",
    (SY, "updateperiod"): "updateperiod",
    (SY, "updatefrequency"): "updatefrequency",
}

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "text", "html", "xhtml", "application/xhtml", ""})
WEEKDAYS = {
    day: number for number, day in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())
}

PERIOD_MINUTES = {
    "hourly": 60, "always": 60, "daily": 1440, "dayly": 1440, "weekly": 10_080, "monthly": 43_200, "yearly": 525_600,
}  # fmt: skip

"""How pages mark a date: names of `meta` elements, classes, and phrases beside it, in the languages and systems of the web."""

from __future__ import annotations

import re

META_PUBLISHED = (
    "article:published_time", "og:article:published_time", "og:published_time", "article:published", "datepublished",
    "article:post_date", "article.published", "published_time", "publication_date", "publishdate", "publish-date",
    "publish_date", "published-date", "pubdate", "date_published", "published", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created", "dcterms.date", "dc.date", "dc:date", "dcsext.articlefirstpublished",
    "citation_publication_date", "citation_date", "sailthru.date", "parsely-pub-date", "cxenseparse:recs:publishtime",
    "rnews:datepublished", "article_date_original", "originalpublicationdate", "date.created", "datecreated",
    "article:created", "og:pubdate", "bt:pubdate", "shareaholic:article_published_time", "eomportal-firstpublished",
    "firstpublished", "article.created", "article:publicationdate", "date-publish", "prism.publicationdate", "vr:published_time",
    "pdate", "article:date", "artikel.datum", "hdl_pubdate", "nrkpublished", "weibo:article:create_at", "apub:time",
    "og:release_date", "mediator_published_time", "publisheddate", "release_date", "contentcreationdate",
    "doc_date", "displaydate", "lw.published_at", "og:date",
)  # fmt: skip
"""Names of `meta` elements that give the day of publication, the most trusted first."""

META_LIKE_PUBLISHED = re.compile(
    r"publi\w*[-_.:]?(?:on|date|time|at)\b|(?:date|time)[-_.:]?publi|uploaded|created[-_.:]?(?:at|on|date)"
)
"""Other names of such elements with the same meaning."""

META_ANY_DATE = ("date", "time", "datetime", "last-publish")
"""Names of `meta` elements that give some day, often that of publication."""

META_MODIFIED = (
    "article:modified_time", "og:article:modified_time", "datemodified", "article:modified", "og:updated_time", "lastmod",
    "last-modified", "dcterms.modified", "dc.date.modified", "modified_time", "revision_date", "updated_time", "lastmodified",
    "dateupdate",
)  # fmt: skip
"""Names of `meta` elements that give the day of the last change: better than nothing."""

OTHER_DIGITS = {first + i: str(i) for first in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for i in range(10)}
"""The ASCII form of Arabic, Persian, Devanagari, Bengali, Thai and wide digits."""

DATE_NAMES = re.compile(
    r"date|publi|posted|datum|fecha|datetime|time(?!line)|pubd|erstell|created|authored|submitted", re.IGNORECASE
)
"""What the class or id of an element that holds the date contains."""
BYLINE_NAMES = re.compile(r"meta|byline|info|author|dateline|header|article|submitted|credit", re.IGNORECASE)
OTHER_NAMES = re.compile(
    r"comment|related|sidebar|widget|teaser|event|recent|footer|copyright|archive|calendar|latest", re.IGNORECASE
)
PUBLISHED_PHRASES = re.compile(
    r"publi[sckée]|posted|veröffentlicht|erstellt|geschrieben|eingestellt|stand\b|\bvom\b|pubblicat|gepubliceerd|julkaistu|megjelen|"
    r"date\s?:|datum\s?:|written|опублик|опублік|发布|發布|發佈|公開|掲載|입력|등록|yayın|diterbit|đăng|δημοσ|نشر|प्रकाशित|released",
    re.IGNORECASE,
)
UPDATED_PHRASES = re.compile(
    r"updated|modified|aktualisiert|geändert|mis à jour|modifi|a[ct]+ualiz|aggiornat|bijgewerkt|обновл|更新|수정|güncel|reviewed",
    re.IGNORECASE,
)
COPYRIGHT_PHRASES = re.compile(r"©|\(c\)|copyright|all rights|alle rechte", re.IGNORECASE)

"""Names of months and of date fields, in the languages and systems of the web. Data, apart from the code."""

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
"""Other names of such elements that say the same."""

META_ANY_DATE = ("date", "time", "datetime", "last-publish")
"""Names of `meta` elements that give some day, often that of publication."""

META_MODIFIED = (
    "article:modified_time", "og:article:modified_time", "datemodified", "article:modified", "og:updated_time", "lastmod",
    "last-modified", "dcterms.modified", "dc.date.modified", "modified_time", "revision_date", "updated_time", "lastmodified",
    "dateupdate",
)  # fmt: skip
"""Names of `meta` elements that give the day of the last change: better than nothing."""

_MONTHS = """
january jan januar jänner janvier janv enero ene gennaio gen janeiro januari januarie ianuarie ocak oca styczeń stycznia leden ledna января январь янв січня sijecanj siječnja január januára tammikuuta
february feb februar feber février fevrier févr fév febrero febbraio febr fevereiro fev februari februarie şubat lutego luty února únor февраля февраль фев лютого veljače február februára helmikuuta
march mar märz maerz mrz mars marzo março marco maart mrt martie mart marca marzec března březen марта март березня ožujka március mar maaliskuuta
april apr avril avr abril abr aprile aprilie nisan kwietnia kwiecień dubna duben апреля апрель апр квітня travnja április apríla huhtikuuta
may mai mayo maggio mag maio mei mayıs maja maj května květen мая май травня svibnja május mája toukokuuta
june jun juni juin junio giugno giu junho jun. iunie haziran czerwca czerwiec června červen июня июнь червня lipnja június júna kesäkuuta
july jul juli juillet juil julio luglio lug julho iulie temmuz lipca lipiec července červenec июля июль липня srpnja július júla heinäkuuta
august aug août aout agosto ago augustus augusti ağustos sierpnia sierpień srpna srpen августа август авг серпня kolovoza augusztus augusta elokuuta
september sep sept septembre septiembre settembre set setembro septembrie eylül września wrzesień září сентября сентябрь сен вересня rujna szeptember septembra syyskuuta
october oct oktober okt octobre octubre ottobre ott outubro out octombrie oktober ekim października październik října říjen октября октябрь окт жовтня listopada október októbra lokakuuta
november nov novembre noviembre novembro noiembrie kasım listopada listopad listopadu ноября ноябрь ноя листопада studenog studenoga novembra marraskuuta
december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro desember des decembrie aralık grudnia grudzień prosince prosinec декабря декабрь дек грудня prosinca decembra joulukuuta
"""  # noqa: E501

MONTHS: dict[str, int] = {}
"""The number of a month by its name or short form in lower case. Of names that two languages use, the first stands."""
for _number, _line in enumerate(_MONTHS.strip().splitlines(), 1):
    for _name in _line.split():
        MONTHS.setdefault(_name.rstrip("."), _number)

DATE_NAMES = re.compile(
    r"date|publi|posted|datum|fecha|datetime|time(?!line)|pubd|erstell|created|authored|submitted", re.IGNORECASE
)
"""In the class or id of an element: it holds the date."""
BYLINE_NAMES = re.compile(r"meta|byline|info|author|dateline|header|article|submitted|credit", re.IGNORECASE)
OTHER_NAMES = re.compile(
    r"comment|related|sidebar|widget|teaser|event|recent|footer|copyright|archive|calendar|latest", re.IGNORECASE
)
PUBLISHED_WORDS = re.compile(
    r"publi[sckée]|posted|veröffentlicht|erstellt|geschrieben|eingestellt|stand\b|\bvom\b|pubblicat|gepubliceerd|publicerad|"
    r"date\s?:|datum\s?:|written|опубликован|发布|發布|released|first published",
    re.IGNORECASE,
)
UPDATED_WORDS = re.compile(
    r"updated|modified|aktualisiert|geändert|mis à jour|modifi|actualiz|aggiornat|bijgewerkt|reviewed", re.IGNORECASE
)
COPYRIGHT_WORDS = re.compile(r"©|\(c\)|copyright|all rights|alle rechte", re.IGNORECASE)

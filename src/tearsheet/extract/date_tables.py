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
january jan januar jänner janvier janv enero ene gennaio gen janeiro januari januarie ianuarie ian ocak oca styczeń stycznia sty leden ledna led января январь янв січня sijecanj siječnja január januára tammikuuta gener sausio janvāris januarja jaanuar януари јануар ιανουαρίου يناير ژانویه ינואר בינואר जनवरी জানুয়ারি জানুয়ারী ஜனவரி มกราคม
february feb februar feber février fevrier févr fév febrero febbraio febr fevereiro fev februari februarie şubat şub lutego luty lut února únor úno февраля февраль фев февр лютого veljače február februára helmikuuta febrer vasario februāris februarja veebruar февруари фебруар φεβρουαρίου فبراير شباط فوریه פברואר בפברואר फरवरी फ़रवरी ফেব্রুয়ারি ফেব্রুয়ারী பிப்ரவரி กุมภาพันธ์
march mar märz maerz mrz mars marzo março marco maart mrt martie mart marca marzec března březen bře марта март мар березня ožujka március márc marec maaliskuuta març maret kovo marts märts μαρτίου مارس آذار מרץ במרץ मार्च মার্চ மார்ச் มีนาคม
april apr avril avr abril abr aprile aprilie nisan nis kwietnia kwiecień kwi dubna duben dub апреля апрель апр квітня travnja április ápr apríla huhtikuuta balandžio aprīlis aprill април απριλίου أبريل ابريل إبريل نيسان آوریل אפריל באפריל अप्रैल এপ্রিল ஏப்ரல் เมษายน
may mai mayo maggio mag maio mei mayıs maja maj května květen kvě мая май травня svibnja május máj mája toukokuuta maig gegužės maijs мај μαΐου μαίου مايو أيار مه מאי במאי मई মে மே พฤษภาคม
june jun juni juin junio giugno giu junho jun. iunie iun haziran haz czerwca czerwiec cze června červen čvn июня июнь июн червня lipnja június jún júna kesäkuuta juny birželio jūnijs junija juuni юни јун јуни ιουνίου يونيو يونيه حزيران ژوئن יוני ביוני जून জুন ஜூன் มิถุนายน
july jul juli juillet juil julio luglio lug julho iulie iul temmuz tem lipca lipiec lip července červenec čvc июля июль июл липня srpnja július júl júla heinäkuuta juliol liepos jūlijs julija juuli юли јул јули ιουλίου يوليو يوليه تموز ژوئیه جولای יולי ביולי जुलाई জুলাই ஜூலை กรกฎาคม
august aug août aout agosto ago augustus augusti ağustos ağu sierpnia sierpień sie srpna srpen srp августа август авг серпня kolovoza augusztus augusta elokuuta agost agustus rugpjūčio augusts avgusta αυγούστου أغسطس اغسطس آب اوت אוגוסט באוגוסט अगस्त আগস্ট ஆகஸ்ட் สิงหาคม
september sep sept septembre septiembre setiembre settembre set setembro septembrie eylül eyl września wrzesień wrz září zář сентября сентябрь сен сент вересня rujna szeptember szept septembra syyskuuta setembre rugsėjo septembris септември септембар σεπτεμβρίου سبتمبر أيلول سپتامبر ספטמבר בספטמבר सितंबर सितम्बर সেপ্টেম্বর செப்டம்பர் กันยายน
october oct oktober okt octobre octubre ottobre ott outubro out octombrie oktober ekim eki października październik paź října říjen říj октября октябрь окт жовтня október októbra lokakuuta spalio oktobris oktobra oktoober октомври октобар οκτωβρίου أكتوبر اكتوبر اکتبر אוקטובר באוקטובר अक्टूबर अक्तूबर অক্টোবর அக்டோபர் ตุลาคม
november nov novembre noviembre novembro noiembrie noi kasım kas listopada listopad listopadu lis ноября ноябрь ноя нояб листопада studenog studenoga novembra marraskuuta lapkričio novembris ноември новембар νοεμβρίου نوفمبر نوامبر נובמבר בנובמבר नवंबर नवम्बर নভেম্বর நவம்பர் พฤศจิกายน
december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro desember des decembrie aralık ara grudnia grudzień gru prosince prosinec pro декабря декабрь дек грудня prosinca decembra joulukuuta desembre gruodžio decembris detsember декември децембар δεκεμβρίου ديسمبر دسامبر דצמבר בדצמבר दिसंबर दिसम्बर ডিসেম্বর டிசம்பர் ธันวาคม
"""  # noqa: E501

MONTHS: dict[str, int] = {}
"""The number of a month by its name or short form in lower case. Of names that two languages use, the first stands."""
for _number, _line in enumerate(_MONTHS.strip().splitlines(), 1):
    for _name in _line.split():
        MONTHS.setdefault(_name.rstrip("."), _number)

OTHER_DIGITS = {first + i: str(i) for first in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for i in range(10)}
"""The ASCII form of Arabic, Persian, Devanagari, Bengali, Thai and wide digits."""

DATE_NAMES = re.compile(
    r"date|publi|posted|datum|fecha|datetime|time(?!line)|pubd|erstell|created|authored|submitted", re.IGNORECASE
)
"""In the class or id of an element: it holds the date."""
BYLINE_NAMES = re.compile(r"meta|byline|info|author|dateline|header|article|submitted|credit", re.IGNORECASE)
OTHER_NAMES = re.compile(
    r"comment|related|sidebar|widget|teaser|event|recent|footer|copyright|archive|calendar|latest", re.IGNORECASE
)
PUBLISHED_WORDS = re.compile(
    r"publi[sckée]|posted|veröffentlicht|erstellt|geschrieben|eingestellt|stand\b|\bvom\b|pubblicat|gepubliceerd|julkaistu|megjelen|"
    r"date\s?:|datum\s?:|written|опублик|опублік|发布|發布|發佈|公開|掲載|입력|등록|yayın|diterbit|đăng|δημοσ|نشر|प्रकाशित|released",
    re.IGNORECASE,
)
UPDATED_WORDS = re.compile(
    r"updated|modified|aktualisiert|geändert|mis à jour|modifi|a[ct]+ualiz|aggiornat|bijgewerkt|обновл|更新|수정|güncel|reviewed",
    re.IGNORECASE,
)
COPYRIGHT_WORDS = re.compile(r"©|\(c\)|copyright|all rights|alle rechte", re.IGNORECASE)

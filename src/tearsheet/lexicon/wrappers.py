"""Services whose addresses carry the address of another page: web archives, caches, and redirectors of searches and networks."""

from __future__ import annotations

ARCHIVE_HOSTS = frozenset(
    """
    archive.fo archive.is archive.li archive.md archive.ph archive.today archive.vn archive-it.org arquivo.pt
    web.archive.org web-beta.archive.org webarchive.loc.gov webarchive.nationalarchives.gov.uk webarchive.org.uk
    """.split()
)
"""Archives that have `/http://…` somewhere in the address of a copy. A host stands for itself and its subdomains."""

COPY = (
    r"^/(?:[\w-]+/){0,4}?(?:\d{4,14}\*?|\d{4}\.\d\d\.\d\d-\d{6}|\*|o/\w+|newest|oldest|save)(?:[a-z]{2}_)?"
    r"/((?:https?:/|https?%3a|[\w-]+\.[\w.-]*[\w](?=/|$)).*)"
)
"""The path of a copy in such an archive."""
BARE_COPY = r"^/web/((?:https?:/|https?%3a).*)"
"""The same without a date: the newest copy."""
DATED_COPY = r"/\d{14}(?:[a-z]{2}_)?/(https?:/.*)"
"""What the path of a copy ends with on any server of web archives: a moment to the second, and an address."""

AMP_CACHES = {
    "cdn.ampproject.org": r"^/(?:[a-z]{1,3}/)(s/)?([^/]+\.[^/]+.*)",
    "bing-amp.com": r"^/(?:[a-z]{1,3}/)(s/)?([^/]+\.[^/]+.*)",
    "google": r"^/amp/(s/)?([^/]+\.[^/]+.*)",
}
"""Caches of pages, with the form of their paths: `s/` means https, the rest is the address. `google` has many countries."""

REDIRECTORS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("away.vk.com", r"/away\.php", ("to",)),
    ("disq.us", r"/url", ("url",)),
    ("douban.com", r"/link2/?", ("url",)),
    ("duckduckgo.com", r"/l/", ("uddg",)),
    ("exit.sc", r"/?", ("url",)),
    ("facebook.com", r"/(?:l\.php|flx/warn/?)", ("u",)),
    ("gate.sc", r"/?", ("url",)),
    ("getpocket.com", r"/redirect", ("url",)),
    ("go.skimresources.com", r"/?", ("url",)),
    ("google", r"/url", ("q", "url")),
    ("google", r"/imgres", ("imgrefurl",)),
    ("l.instagram.com", r"/?", ("u",)),
    ("l.messenger.com", r"/l\.php", ("u",)),
    ("l.threads.com", r"/?", ("u",)),
    ("l.threads.net", r"/?", ("u",)),
    ("link.zhihu.com", r"/?", ("target",)),
    ("linkedin.com", r"/(?:redir/redirect|safety/go)/?", ("url",)),
    ("medium.com", r"/r/?", ("url",)),
    ("news.google.com", r"/news/url", ("url",)),
    ("news.google.com", r"/?", ("url",)),
    ("ok.ru", r"/dk", ("st.link",)),
    ("out.reddit.com", r"/.*", ("url",)),
    ("pinterest.com", r"/offsite/?", ("url",)),
    ("redirect.viglink.com", r"/?", ("u",)),
    ("safelinks.protection.outlook.com", r"/.*", ("url",)),
    ("slack-redir.net", r"/link", ("url",)),
    ("steamcommunity.com", r"/linkfilter/?", ("url", "u")),
    ("t.me", r"/iv", ("url",)),
    ("t.umblr.com", r"/redirect", ("z",)),
    ("translate.google.com", r"/(?:translate|website)", ("u",)),
    ("vk.com", r"/away\.php", ("to",)),
    ("weibo.cn", r"/sinaurl", ("u", "toasturl")),
    ("youtube.com", r"/(?:redirect|attribution_link)", ("q", "u")),
)
"""A host, which stands for its subdomains as well, the path, and the parameters that may carry the address, by preference."""

SEARCH_PATH = r"/RU=(https?(?:%3a|:)[^/]*)/"
"""An address in the path of a result of Yahoo's search (`r.search.yahoo.com`)."""

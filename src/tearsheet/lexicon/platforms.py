"""Platforms on which many publish, and services that have the feeds of many: each account there is a source of its own."""

from __future__ import annotations

BY_SUBDOMAIN = frozenset(
    """
    acast.com beehiiv.com blogspot.com buzzsprout.com canalblog.com captivate.fm dreamwidth.org ghost.io hashnode.dev
    hypotheses.org jimdofree.com libsyn.com livejournal.com medium.com micro.blog neocities.org over-blog.com podbean.com
    posthaven.com squarespace.com substack.com tistory.com tumblr.com typepad.com weebly.com wixsite.com wordpress.com write.as
    """.split()
)
"""`name.substack.com` is one publisher. What the Public Suffix List has as a suffix, such as github.io, is known without this."""

OWN_SUBDOMAINS = frozenset(
    "api app assets cdn dashboard embed feed feeds files help images img m media open public-api rss static support users".split()
)
"""Subdomains that such a service has for itself; what is on them is its own."""

_NAME = r"([\w.-]+)"
_HANDLE = r"@([\w.-]+)"

BY_PATH: dict[str, tuple[tuple[str, str], ...]] = {
    "ameblo.jp": ((rf"{_NAME}/entry-", "ameblo.jp/{}"),),
    "bsky.app": ((r"(?:profile/)?((?:did:|[\w-]+\.)[\w.:-]+)(?=/|$)", "bsky.app/{}"),),
    "livejournal.com": ((r"(?:users|community|~)/?([\w-]+)", "{}.livejournal.com"),),
    "medium.com": (
        (rf"(?:feed/)?{_HANDLE}", "medium.com/@{}"),
        (r"feed/(?!tag/)([\w-]+)", "medium.com/{}"),
        (r"(?!(?:feed|i|m|me|p|r|search|tag|topic|u|s)/)([\w-]+)/(?:[^/]+-)?[0-9a-f]{10,12}$", "medium.com/{}"),
    ),
    "note.com": ((rf"{_NAME}/n/", "note.com/{}"),),
    "odysee.com": ((r"(?:\$/rss/)?@([\w.-]+)", "odysee.com/@{}"),),
    "open.substack.com": ((r"pub/([\w-]+)", "{}.substack.com"),),
    "qiita.com": ((rf"{_NAME}/items/", "qiita.com/{}"),),
    "substack.com": ((_HANDLE, "substack.com/@{}"),),
    "t.me": (
        (
            r"(?:s/)?(?!(?:addemoji|addlist|addstickers|addtheme|bg|boost|c|confirmphone|contact|giftcode|invoice|iv|joinchat"
            r"|login|m|msg|nft|proxy|s|setlanguage|share|socks)(?:/|$))([a-z]\w{3,31})(?=/|$)",
            "t.me/{}",
        ),
    ),
    "threads.net": ((_HANDLE, "threads.com/@{}"),),
    "threads.com": ((_HANDLE, "threads.com/@{}"),),
    "tiktok.com": ((_HANDLE, "tiktok.com/@{}"),),
    "tumblr.com": (
        (r"(?:blog/view|dashboard/blog)/([\w-]+)", "{}.tumblr.com"),
        (r"([\w-]+)/\d{6,}", "{}.tumblr.com"),
    ),
    "users.livejournal.com": ((r"([\w-]+)", "{}.livejournal.com"),),
    "velog.io": ((_HANDLE, "velog.io/@{}"),),
    "x.com": (
        (
            r"(?!(?:about|account|compose|download|explore|hashtag|help|home|i|intent|jobs|login|logout|messages|notifications"
            r"|oauth|privacy|search|search-advanced|settings|share|signup|tos|who_to_follow|widgets)(?:/|$))(\w{1,15})(?=/|$)",
            "x.com/{}",
        ),
    ),
    "youtube.com": (
        (r"@([\w.·-]+)", "youtube.com/@{}"),
        (r"channel/([\w-]+)", "youtube.com/channel/{}"),
        (r"c/([^/]+)", "youtube.com/c/{}"),
        (r"user/([^/]+)", "youtube.com/user/{}"),
        (r"feeds/videos\.xml\?(?:.*&)?channel_id=([\w-]+)", "youtube.com/channel/{}"),
        (r"feeds/videos\.xml\?(?:.*&)?user=([\w.-]+)", "youtube.com/user/{}"),
    ),
    "zenn.dev": ((r"(?!(?:p|topics|books|articles|search)/)([\w-]+)/(?:articles|books|scraps)", "zenn.dev/{}"),),
}
"""Hosts, without `www.` or `m.`, on which the path says whose page it is: the start of such a path in lower case (or, with `?`, of
path and query), as a pattern, and the name of the account. Pages that name no account, as on telegra.ph, are the platform's."""

SAME_PLATFORM = {
    "telegram.dog": "t.me",
    "telegram.me": "t.me",
    "twitter.com": "x.com",
    "vxtwitter.com": "x.com",
    "fxtwitter.com": "x.com",
}
"""Other names of a platform, under which it has the same accounts."""

FEDIVERSE_POST = r"(?:web/)?(?:@|users/)([\w.-]*\w)(?:@([\w.-]+\w))?(?:/statuses)?/\d{15,20}(?:/|$)"
"""A post on Mastodon: an account and a number too long to be anything else. This holds on any host."""

FEDIVERSE_PAGE = r"(?:web/)?(?:@|users/)(?:([\w.-]*\w)@([\w.-]+\w)|(\w+))(?=[/.]|$)"
"""Any page of an account on Mastodon. Other systems have such paths too, so that this holds only on hosts that are known."""

FEDIVERSE_HOSTS = frozenset(
    """
    aus.social c.im chaos.social det.social fosstodon.org hachyderm.io home.social infosec.exchange journa.host kolektiva.social
    masto.ai masto.es masto.nu mas.to mamot.fr mathstodon.xyz mindly.social mstdn.ca mstdn.jp mstdn.social newsie.social
    norden.social octodon.social pawoo.net piaille.fr sciences.social scholar.social social.vivaldi.net techhub.social
    toot.community troet.cafe truthsocial.com universeodon.com zirk.us
    """.split()
)
"""Servers of Mastodon and of what descends from it; so is every host whose name begins with `mastodon` or `mstdn`."""

POST_HOSTS = frozenset(
    "bsky.app instagram.com t.me threads.com threads.net tiktok.com twitter.com x.com youtu.be youtube.com".split()
)
"""Hosts whose pages say in their head what a post or video says; around it are posts of others. The fediverse does the same."""

FEED_SERVICES = frozenset(
    """
    ameblo.jp anchor.fm audioboom.com bsky.app buttondown.com buttondown.email codeberg.org dev.to feed.podbean.com feed43.com
    feedburner.com feedproxy.google.com feeds.acast.com feeds.blubrry.com feeds.buzzsprout.com feeds.captivate.fm
    feeds.castos.com feeds.feedblitz.com feeds.feedburner.com feeds.fireside.fm feeds.libsyn.com feeds.megaphone.fm
    feeds.redcircle.com feeds.simplecast.com feeds.soundcloud.com feeds.transistor.fm feeds2.feedburner.com fetchrss.com
    github.com gitlab.com kill-the-newsletter.com medium.com note.com odysee.com omny.fm openrss.org patreon.com pinecast.com
    politepaul.com politepol.com qiita.com reddit.com rss.acast.com rss.app rss.art19.com rss.blog.naver.com rss.buzzsprout.com
    rss.com rsshub.app sites.google.com spreaker.com telegra.ph vimeo.com youtube.com zenn.dev
    """.split()
)
"""Hosts, without `www.`, on which the path of a feed says whose it is, as in `feeds.feedburner.com/name`."""

PATH_WORDS = frozenset(
    """
    $ ~r atom episodes feed feeds id p podcast podcasts profile r rss show shows telegram twitter u user users videos.xml view
    """.split()
)
"""Parts of such a path that are the service's own and no publisher's name."""

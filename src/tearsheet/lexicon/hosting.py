"""Services on which many publishers have their feeds: each feed or site there is a source of its own."""

from __future__ import annotations

BY_SUBDOMAIN = frozenset(
    """
    acast.com beehiiv.com buzzsprout.com canalblog.com captivate.fm ghost.io hypotheses.org jimdofree.com libsyn.com livejournal.com
    medium.com micro.blog neocities.org over-blog.com podbean.com posthaven.com squarespace.com substack.com tumblr.com typepad.com
    weebly.com wordpress.com write.as
    """.split()
)
"""`name.substack.com` is one publisher. What the Public Suffix List has as a suffix, such as github.io, is known without this."""

BY_PATH = frozenset(
    """
    anchor.fm audioboom.com feed43.com feedburner.com feedproxy.google.com feeds.acast.com feeds.buzzsprout.com feeds.captivate.fm
    feeds.feedburner.com feeds2.feedburner.com feeds.libsyn.com feeds.megaphone.fm feeds.simplecast.com feeds.soundcloud.com
    feeds.transistor.fm fetchrss.com kill-the-newsletter.com medium.com omny.fm openrss.org politepaul.com politepol.com reddit.com
    rss.acast.com rss.app rss.art19.com rss.com rss.buzzsprout.com rsshub.app sites.google.com spreaker.com telegra.ph
    """.split()
)
"""Hosts, without `www.`, on which the path says whose feed it is: `feeds.feedburner.com/name`."""

PATH_WORDS = frozenset(
    "~r atom episodes feed feeds id p podcast podcasts r rss show shows telegram twitter u user users view".split()
)
"""Parts of such a path that are the service's own and no publisher's name."""

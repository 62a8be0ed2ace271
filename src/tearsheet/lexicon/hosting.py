"""Services on which many publishers have their feeds: each feed or site there is a source of its own."""

from __future__ import annotations

BY_SUBDOMAIN = frozenset(
    """
    acast.com beehiiv.com buzzsprout.com canalblog.com captivate.fm dreamwidth.org ghost.io hashnode.dev hypotheses.org
    jimdofree.com libsyn.com livejournal.com medium.com micro.blog neocities.org over-blog.com podbean.com posthaven.com
    squarespace.com substack.com tistory.com tumblr.com typepad.com weebly.com wordpress.com write.as
    """.split()
)
"""`name.substack.com` is one publisher. What the Public Suffix List has as a suffix, such as github.io, is known without this."""

BY_PATH = frozenset(
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
"""Hosts, without `www.`, on which the path says whose feed it is: `feeds.feedburner.com/name`."""

PATH_WORDS = frozenset(
    """
    $ ~r atom episodes feed feeds id p podcast podcasts profile r rss show shows telegram twitter u user users videos.xml view
    """.split()
)
"""Parts of such a path that are the service's own and no publisher's name."""

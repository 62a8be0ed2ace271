"""Which elements load sub-resources, and which of those are unwanted. Data, kept apart from the code."""

from __future__ import annotations

ELEMENTS = (
    # selector, attribute, type
    ("script[src]", "src", "script"),
    ("img[src]", "src", "image"),
    ("img[data-src]", "data-src", "image"),
    ("img[data-original]", "data-original", "image"),
    ("img[data-lazy-src]", "data-lazy-src", "image"),
    ("input[type=image][src]", "src", "image"),
    ("body[background]", "background", "image"),
    ("table[background]", "background", "image"),
    ("td[background]", "background", "image"),
    ("audio[src]", "src", "audio"),
    ("video[src]", "src", "media"),
    ("video[poster]", "poster", "image"),
    ("video > source[src]", "src", "media"),
    ("audio > source[src]", "src", "audio"),
    ("track[src]", "src", "media"),
    ("embed[src]", "src", "media"),
    ("object[data]", "data", "media"),
    ("iframe[src]", "src", "subdocument"),
    ("frame[src]", "src", "subdocument"),
    ("svg image", "href", "image"),
    ("svg image", "xlink:href", "image"),
    ("svg use", "href", "image"),
    ("svg use", "xlink:href", "image"),
)
LATE = "data-"
"""The prefix of attributes that a script would turn into a picture's real `src` or `srcset` when it scrolls into view."""
SRCSETS = (
    ("img[srcset]", "srcset"),
    ("img[data-srcset]", "data-srcset"),
    ("picture > source[srcset]", "srcset"),
    ("picture > source[data-srcset]", "data-srcset"),
    ("link[rel=preload][imagesrcset]", "imagesrcset"),
)
NO_RESOURCE = (
    "about:",
    "data:",
    "magnet:",
    "urn:",
    "mailto:",
    "javascript:",
    "blob:",
    "chrome-extension:",
    "#",
    "{{",
    "<%",
)
"""Prefixes of values that name nothing to fetch."""

UNWANTED_HOSTS = """
fonts.googleapis.com widgets.figshare.com crossmark-cdn.crossref.org crossmark.crossref.org platform.twitter.com
verify.nature.com s7.addthis.com www.mendeley.com pbs.twimg.com badge.dimensions.ai recaptcha.net tag.imagino.com
consent.cookiebot.com google-analytics.com googletagmanager.com googletagservices.com googlesyndication.com doubleclick.net
googleadservices.com adservice.google.com scorecardresearch.com quantserve.com hotjar.com clarity.ms connect.facebook.net
facebook.com newrelic.com nr-data.net segment.com segment.io mixpanel.com amplitude.com chartbeat.com parsely.com matomo.cloud
statcounter.com sharethis.com addtoany.com disqus.com disquscdn.com cdn.cookielaw.org onetrust.com trustarc.com taboola.com
outbrain.com criteo.com criteo.net adnxs.com amazon-adsystem.com bat.bing.com optimizely.com crazyegg.com mouseflow.com
fullstory.com intercom.io intercomcdn.com zdassets.com hs-scripts.com hs-analytics.net snap.licdn.com analytics.tiktok.com
static.ads-twitter.com analytics.twitter.com stats.wp.com pixel.wp.com counter.yadro.ru mc.yandex.ru top-fwz1.mail.ru
altmetric.com badges.altmetric.com plausible.io cloudflareinsights.com sentry-cdn.com browser.sentry-cdn.com trendmd.com
""".split()
"""Analytics, advertisements, buttons and badges; with all their subdomains."""
UNWANTED_PARTS = (
    "/favicon.ico", "apis.google.com/js/plusone", "www.google.com/recaptcha/", "www.gstatic.com/recaptcha/", "_getUACode.js",
    "/piwik.js", "/matomo.js", "/piwik.php", "/matomo.php", "/analytics.js", "/gtag/js", "/ga.js", "/urchin.js", "/tracking.js",
    "/pixel.gif", "/beacon.js", "/cookieconsent", "/addthis_widget.js", "cairn.info/tracking",
)  # fmt: skip
"""The same by parts of addresses, on every host."""

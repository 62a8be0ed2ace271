"""Parts of addresses that say nothing about the page itself: devices, tracking parameters, names of front pages; video hosts."""

from __future__ import annotations

DEVICE_SUBDOMAINS = ("amp", "beta", "m", "mobile", "touch", "wap")
"""Host prefixes under which a site serves the same pages to other devices. `www`, `www2` and `ww1` are handled in code."""

TRACKING_PREFIXES = ("utm_", "ga_", "mc_", "pk_", "mtm_", "piwik_", "at_", "hsa_", "__", "vero_", "oly_", "wt_")

TRACKING_PARAMETERS = frozenset(
    """
    _ga _gl _hsenc _hsmi action_object_map action_ref_map action_type_map amp ana bcmt bxid cid cmp cmpid cmpref
    cndid dclid dlvrit_id ecid ei emc emci emdi epi esrc fb_action_ids fb_action_types fb_ref fb_source fbclid
    feedname feedtype from_rss ftag gbraid gclid gclsrc guccounter guce_referrer guce_referrer_sig icid ig_rid
    igshid ito li_fat_id mbid mkt_tok msclkid ncid ns_campaign ns_fee ns_linkname ns_mchannel ns_source ocid
    partner phpsessid print_referrer recirc ref ref_src ref_url referer referrer rss rssfeed s_cid s_kwcid
    sc_campaign share smid smprod smtyp sr_share src srnd sref sthash taid tblci trk trkcampaign ttclid twclid
    ved wbraid wickedid xtor yclid
    """.split()
)

HOMEPAGE_FILES = frozenset(
    f"{name}.{ending}"
    for name in ("index", "default", "home", "main", "start", "homepage")
    for ending in ("asp", "aspx", "cfm", "cgi", "htm", "html", "jsp", "php", "phtml", "shtml", "xhtml")
)

HOMEPAGE_SECTIONS = frozenset(
    """
    accueil business culture economy entertainment health home homepage inicio international latest national
    news opinion politics portada science sport sports startseite tech technology trending video videos world
    """.split()
)

VIDEO_HOSTS = frozenset({"youtube.com", "youtu.be", "youtube-nocookie.com"})

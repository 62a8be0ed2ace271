"""Addresses that are not worth fetching, or that are walls. Data, kept apart from the code."""

from __future__ import annotations

NEVER = """
hkvalidate.perfdrive.com ieeexplore.ieee.org openlibrary.org fatcat.wiki scholar.archive.org orcid.org
bartandjones.com ijretm.com ijrcemas.com jist.net.in croisements-revue.org page-one.live.cf.public.springer.com plutof.ut.ee
www.gbif.org doi.pangaea.de www.plate-archive.org apex.ipk-gatersleben.de dhz.uni-passau.de digital.ucd.ie edoc.mpg.de
isiarticles.com unsworks.unsw.edu.au
""".split()
"""Hosts, with all their subdomains: data sets, catalogues of captures, and publishers that answer nobody.

Addresses of this machine and of private networks are refused by the client, at connect time and by its settings."""

NEVER_BELOW = """
doi.org/10.25642/ipk/gbis fao.org/glis doi.org/10.2307 doi.org/10.18730 doi.org/10.15468 doi.org/10.48550
""".split()
"""The same by the start of the address, without its scheme."""

ARCHIVES = ("web.archive.org", "archive.org")
"""Other people's captures: ingesting one is another kind of request."""

WALLS = """
login.bepress.com ?SAMLRequest= osapublishing.org/captcha /password-login gateway.isiknowledge.com /login?TARGET=
jstage.jst.go.jp/sblogin acw.elsevier.com/SSOCore acw.sciencedirect.com/SSOCore /login?source=
profile.thieme.de/HTML/sso/ejournals/login.htm
""".split()
"""Parts of addresses that lead to a login."""

COOKIE_WALLS = "/cookieAbsent cookieSet=1 error=cookies_not_supported secure.jbs.elsevierhealth.com".split()
"""Parts of addresses where a client without cookies ends up."""

SKIPPED_TARGETS = ("onlinelibrary.wiley.com/doi/pdf/", "://doi.org/", "://dx.doi.org/", "{'embed': '")
"""Parts of full-text links that lead away from the full text."""

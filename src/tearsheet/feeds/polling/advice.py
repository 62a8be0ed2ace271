"""What to do about a feed that fails, in a sentence, by what its last poll met."""

from __future__ import annotations

import re

from tearsheet.feeds.formats import EMPTY, HTML, TOLD
from tearsheet.feeds.polling.statuses import PARSE_ERROR

_LATER = "it is tried again later; `tearsheet feeds fetch-soon` tries at once"
_BY_STATUS = {
    "HTTP 401": "it wants a login: `tearsheet feeds set FEED --user NAME --password-prompt` gives it one",
    "HTTP 403": "the site refuses us: ask its owner, or look at the setting `fetch.user_agent`",
    "HTTP 404": "check its address; `tearsheet feeds discover` finds the feeds of a site",
    "HTTP 410": "it is gone for good; `tearsheet feeds discover` finds the feeds of a site",
    "HTTP 429": "the site asks us to come less often: it is tried again later",
    "unknown hostname": "check the name of the site in its address",
    "SSL error": "the site's certificate is not valid: see whether a browser opens it",
    PARSE_ERROR: "see in a browser whether it is a feed",
}
_BY_DETAIL = {
    (PARSE_ERROR, HTML): "`tearsheet feeds discover` finds the feeds of a page",
    (PARSE_ERROR, EMPTY): "see whether a browser shows anything",
    (
        "fetch error",
        "forbidden-address",
    ): "it is in a private network; `fetch.allow_addresses` allows one that is yours",
    ("fetch error", "too-large"): "the setting `feeds.max_bytes` allows larger ones",
}
_FOR_SCRIPTS = re.compile(r"Exception\('(.*?)'\)")
"""How the notes of events write what is wrong with a document: scripts read it so."""


def plain_words(note: str) -> str:
    """The note of a fetch event, for people. Of a document that is no feed, it says what it is instead."""
    found = _FOR_SCRIPTS.search(note)
    if found and found[1] in TOLD:
        return TOLD[found[1]].partition(";")[0]
    return _FOR_SCRIPTS.sub(r"\1", note)


def what_to_do(status: str, detail: str) -> str:
    """What to do about a feed, given the status and the detail of its last poll."""
    for (kind, sign), what in _BY_DETAIL.items():
        if status == kind and sign in detail:
            return what
    return next((what for sign, what in _BY_STATUS.items() if status.startswith(sign)), _LATER)

"""The statuses of a request: those of the Internet Archive's ingest, so that its readers understand ours."""

from __future__ import annotations

from tearsheet.fetch import FetchError

STATUSES: dict[str, str] = {
    "success": "a full text, with what belongs to it",
    "unknown-scope": "captured whole, but nobody can say what it is",
    "wrong-scope": "captured, but no full text: a landing page, a front page, a stub",
    "blocked-captcha": "the page asks whether we are human",
    "blocked-cookie": "the page wants cookies",
    "blocked-forbidden": "the page says that we may not see it",
    "blocked-wall": "the page wants a login or money",
    "skip-url-blocklist": "an address that is never ingested, or that is not on the public network",
    "skip-wall": "an address that is known to lead to a login",
    "skip-robots": "robots.txt says no",
    "too-many-resources": "more sub-resources than a document has",
    "html-selectolax-error": "the page cannot be parsed",
    "html-teixml-error": "its text cannot be written as TEI",
    "terminal-bad-status": "the last answer was neither a page nor a usual error",
    "not-found": "the server knows no such page",
    "forbidden": "the server refuses us",
    "remote-server-error": "the server failed, or the connection broke",
    "gateway-timeout": "no connection in time",
    "read-timeout": "the server fell silent",
    "invalid-url": "the address cannot be asked for",
    "invalid-host-resolution": "there is no such host",
    "bad-redirect": "a redirect without a place to go",
    "redirect-loop": "redirects in a circle",
    "redirects-exceeded": "too many redirects",
    "max-hops-exceeded": "too many pages on the way to the document",
    "empty-blob": "an empty document",
    "body-too-large": "more bytes than allowed",
    "bad-gzip-encoding": "compressed data that is damaged",
    "wrong-mimetype": "not an HTML document",
    "spn2-backoff": "the host must be left alone for a while",
    "timeout": "the time for one document was used up",
    "not-implemented": "a kind of request that is not served here",
    "internal-error": "a defect of the program; the log says more",
}
"""Every status of a result."""

_OF_KIND = {
    "bad-url": "invalid-url",
    "forbidden-address": "skip-url-blocklist",
    "unknown-host": "invalid-host-resolution",
    "dns": "invalid-host-resolution",
    "connect": "remote-server-error",
    "ssl": "remote-server-error",
    "connect-timeout": "gateway-timeout",
    "read-timeout": "read-timeout",
    "timeout": "read-timeout",
    "too-large": "body-too-large",
    "content-type": "wrong-mimetype",
}
_OF_CODE = {
    401: "forbidden",
    403: "forbidden",
    404: "not-found",
    410: "not-found",
    429: "spn2-backoff",
    504: "gateway-timeout",
}


def status_of_error(error: FetchError) -> str:
    """The status of a request that got no response."""
    if error.kind == "too-many-redirects":
        return "redirect-loop" if "circle" in error.detail else "redirects-exceeded"
    if error.kind == "protocol":
        return "bad-gzip-encoding" if error.__cause__ is not None else "remote-server-error"
    return _OF_KIND[error.kind]


def status_of_code(code: int) -> str | None:
    """The status of a response by its HTTP code; None if it is a document."""
    if code == 200:
        return None
    if 300 <= code < 400:
        return "bad-redirect"
    if code >= 500:
        return _OF_CODE.get(code, "remote-server-error")
    return _OF_CODE.get(code, "terminal-bad-status")

"""Show a captured page as it was, in a frame that lets it do nothing.

Decisions, and why:

* What is shown is what was recorded, in UTF-8 and without what makes a browser connect to others (`inert`). The recorded bytes
  stay as they are: `archive extract` gives them, and anyone can check the digest.
* No `<base>` is inserted and none is obeyed (`base-uri 'none'`): a page must not choose where its links lead from our address.
* `sandbox` without exceptions: a separate origin, no scripts, no forms, no pop-ups, no plug-ins, no automatic refresh.
* `default-src 'none'`: not one request to the live web, which would tell others what is being read and would mix what was
  captured with what is there now. Styles and images inside the page itself are shown.
* The charset is always stated, so that a browser cannot read other elements into the bytes than we did.
* Everything around the frame is ours, and any text in it that came from the web is escaped.
* The page is for the frame only: opened by itself, it would pass for a page of this address (`in_frame`).
"""

from __future__ import annotations

import html
from dataclasses import dataclass

from tearsheet.archive.reader import ArchivedStory

CAPTURE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
WHOLE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:; media-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""For a page with its styles, pictures and media embedded."""
FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",  # no other site may put the page into its own
    "x-dns-prefetch-control": "off",  # or the hosts of all links are looked up
    "permissions-policy": "browsing-topics=()",
}


@dataclass(slots=True, frozen=True)
class ReplayPage:
    """Bytes, and the headers they must be served with."""

    body: bytes
    headers: dict[str, str]


@dataclass(slots=True, frozen=True)
class CapturedBytes:
    """A page as it was recorded, with the encoding that its server stated."""

    body: bytes
    charset: str | None = None

    @classmethod
    def of(cls, archived: ArchivedStory) -> CapturedBytes:
        """Those of an archived story."""
        return cls(archived.story.raw_html.html or b"", archived.story.http_metadata.encoding)


def plain_page(page: bytes) -> ReplayPage:
    """A captured page in UTF-8 and inert, for a frame with an empty `sandbox` attribute."""
    return ReplayPage(page, {"content-security-policy": CAPTURE_POLICY, **_HEADERS})


def in_frame(fetch_destination: str | None) -> bool:
    """Whether a browser wants the page for a frame, judging by its Sec-Fetch-Dest header; old browsers send none."""
    return fetch_destination in (None, "iframe")


def whole_page(page: bytes) -> ReplayPage:
    """A UTF-8 page with its captured parts embedded, which is inert but for these, for the same kind of frame."""
    return ReplayPage(page, {"content-security-policy": WHOLE_POLICY, **_HEADERS})


def frame_page(archived: ArchivedStory, source: str) -> ReplayPage:
    """The page around the frame, which says what is shown; `source` is where the captured page is served."""
    story = archived.story
    title = html.escape(story.content_metadata.article_title or archived.uri)
    when = archived.time.strftime("%Y-%m-%d %H:%M:%S UTC") if archived.time else "at an unknown time"
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>body{{margin:0;font:16px/1.4 system-ui,sans-serif;display:flex;flex-direction:column;height:100vh}}
p{{margin:.6rem 1rem}}iframe{{flex:1;border:0;border-top:1px solid #999}}code{{word-break:break-all}}</style></head>
<body><p>Captured {html.escape(when)} from <code>{html.escape(archived.uri)}</code>, SHA-256 <code>{archived.sha256}</code></p>
<iframe sandbox="" referrerpolicy="no-referrer" title="The captured page" src="{html.escape(source)}"></iframe>
</body></html>
"""
    return ReplayPage(text.encode(), {"content-security-policy": FRAME_POLICY, **_HEADERS})

"""Show a captured page as it was, in a frame in which it can do nothing.

Decisions, and why:

* The bytes are served untouched. What is seen is what was recorded, and the digest can be checked by anybody.
* No `<base>` is put in and none is obeyed (`base-uri 'none'`): a page must not choose where its links lead from our address.
* `sandbox` without any allowance: an origin of its own, no scripts, no forms, no pop-ups, no plug-ins, no automatic refresh.
* `default-src 'none'`: not one request to the web of today, which would tell others what is being read and would mix what was
  captured with what is there now. Styles and images inside the page itself are shown.
* The charset is stated only when the server stated one; otherwise the browser finds it as browsers do (mark, page, guess).
* Everything around the frame is ours, and every word of it that came from the web is escaped.
* The page is for the frame only: opened by itself, it would be a page of this address (`in_frame`).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from resiliparse.parse.encoding import map_encoding_to_html5

from tearsheet.archive.reader import ArchivedStory

CAPTURE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
WHOLE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline' data:; img-src data:; font-src data:; media-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
"""For a page that has its styles, pictures and media inside it."""
FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'"
_LABEL = re.compile(r"[a-z0-9._:+-]{2,40}")
_HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}


@dataclass(slots=True, frozen=True)
class ReplayPage:
    """Bytes and the headers that they must be served with."""

    body: bytes
    headers: dict[str, str]


def replay_page(entry: ArchivedStory) -> ReplayPage:
    """The captured page itself, for a frame with an empty `sandbox` attribute."""
    story = entry.story
    label = _charset(story.http_metadata.encoding)
    content_type = f"text/html; charset={label}" if label else "text/html"
    headers = {"content-type": content_type, "content-security-policy": CAPTURE_POLICY, **_HEADERS}
    return ReplayPage(story.raw_html.html or b"", headers)


def in_frame(fetch_destination: str | None) -> bool:
    """Whether a browser asks for the page in order to put it into a frame, by its header Sec-Fetch-Dest; old ones send none."""
    return fetch_destination in (None, "iframe")


def whole_page(page: bytes) -> ReplayPage:
    """A page in UTF-8 into which its captured parts were put, for the same kind of frame."""
    return ReplayPage(
        page, {"content-type": "text/html; charset=utf-8", "content-security-policy": WHOLE_POLICY, **_HEADERS}
    )


def frame_page(entry: ArchivedStory, source: str) -> ReplayPage:
    """A page around the frame that says what is seen; `source` is where `replay_page` is served."""
    story = entry.story
    title = html.escape(story.content_metadata.article_title or entry.uri)
    when = entry.time.strftime("%Y-%m-%d %H:%M:%S UTC") if entry.time else "at an unknown time"
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width">
<style>body{{margin:0;font:16px/1.4 system-ui,sans-serif;display:flex;flex-direction:column;height:100vh}}
p{{margin:.6rem 1rem}}iframe{{flex:1;border:0;border-top:1px solid #999}}code{{word-break:break-all}}</style></head>
<body><p>Captured {html.escape(when)} from <code>{html.escape(entry.uri)}</code>, SHA-256 <code>{entry.sha256}</code></p>
<iframe sandbox="" referrerpolicy="no-referrer" title="The captured page" src="{html.escape(source)}"></iframe>
</body></html>
"""
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": FRAME_POLICY, **_HEADERS}
    return ReplayPage(text.encode(), headers)


def _charset(label: str | None) -> str | None:
    """The label when browsers know it, or None."""
    label = (label or "").strip().lower()
    if not _LABEL.fullmatch(label) or not map_encoding_to_html5(label, fallback_utf8=False):
        return None
    return label

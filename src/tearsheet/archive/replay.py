"""Show a captured page as it was, in a frame that lets it do nothing.

Decisions, and why:

* The bytes are served untouched. What is shown is what was recorded, and anyone can check the digest.
* No `<base>` is inserted and none is obeyed (`base-uri 'none'`): a page must not choose where its links lead from our address.
* `sandbox` without exceptions: a separate origin, no scripts, no forms, no pop-ups, no plug-ins, no automatic refresh.
* `default-src 'none'`: not one request to the live web, which would tell others what is being read and would mix what was
  captured with what is there now. Styles and images inside the page itself are shown.
* The charset is stated only when the server stated one; otherwise the browser finds it as usual (byte order mark, page, guess).
* Everything around the frame is ours, and any text in it that came from the web is escaped.
* The page is for the frame only: opened by itself, it would pass for a page of this address (`in_frame`).
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
"""For a page with its styles, pictures and media embedded."""
FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'"
_LABEL = re.compile(r"[a-z0-9._:+-]{2,40}")
_HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}


@dataclass(slots=True, frozen=True)
class ReplayPage:
    """Bytes, and the headers they must be served with."""

    body: bytes
    headers: dict[str, str]


def replay_page(archived: ArchivedStory) -> ReplayPage:
    """The captured page itself, for a frame with an empty `sandbox` attribute."""
    story = archived.story
    label = _charset(story.http_metadata.encoding)
    content_type = f"text/html; charset={label}" if label else "text/html"
    headers = {"content-type": content_type, "content-security-policy": CAPTURE_POLICY, **_HEADERS}
    return ReplayPage(story.raw_html.html or b"", headers)


def in_frame(fetch_destination: str | None) -> bool:
    """Whether a browser wants the page for a frame, judging by its Sec-Fetch-Dest header; old browsers send none."""
    return fetch_destination in (None, "iframe")


def whole_page(page: bytes) -> ReplayPage:
    """A UTF-8 page with its captured parts embedded, for the same kind of frame."""
    return ReplayPage(
        page, {"content-type": "text/html; charset=utf-8", "content-security-policy": WHOLE_POLICY, **_HEADERS}
    )


def frame_page(archived: ArchivedStory, source: str) -> ReplayPage:
    """The page around the frame, which says what is shown; `source` is where `replay_page` is served."""
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
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": FRAME_POLICY, **_HEADERS}
    return ReplayPage(text.encode(), headers)


def _charset(label: str | None) -> str | None:
    """The label if browsers know it, else None."""
    label = (label or "").strip().lower()
    if not _LABEL.fullmatch(label) or not map_encoding_to_html5(label, fallback_utf8=False):
        return None
    return label

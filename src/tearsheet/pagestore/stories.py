"""Stories as pages of the store, and back: for import from and export to WARC files, and as the output of a pipeline."""

from __future__ import annotations

from datetime import UTC, datetime

from tearsheet.pagestore.store import CaptureInfo, PageStore, StoredPage
from tearsheet.story import ContentMetadata, HTTPMetadata, RawHTML, RSSEntry, Story, make_story_id


def put_story(store: PageStore, story: Story) -> StoredPage:
    """Store a story's page under the day of its capture (UTC) and the address that was requested.

    The page's id is that of the story's feed. Raises UsageError when there is no address or no page.
    """
    http = story.http_metadata
    moment = _moment(http.fetch_timestamp)
    link = story.rss_entry.link or ""
    return store.put(
        link if link.startswith(("http://", "https://")) else story.url or "",
        story.raw_html.html or b"",
        day=moment.date(),
        page_id=story.rss_entry.source_feed_id,
        language=story.content_metadata.language,
        info=CaptureInfo(
            final_url=http.final_url,
            status=http.response_code,
            charset=http.encoding or story.raw_html.encoding,
            fetched=http.fetch_timestamp,
            story_id=story.id or None,
        ),
    )


def story_of(page: StoredPage) -> Story:
    """A page as a story, to be archived or parsed. An old page has no time: it gets midnight UTC of its day."""
    info = page.info()
    content = page.content()
    midnight = datetime(page.day.year, page.day.month, page.day.day, tzinfo=UTC).timestamp()
    feed_id = int(page.page_id) if page.page_id and page.page_id.isascii() and page.page_id.isdigit() else None
    language = page.language if page.language and len(page.language) == 2 else None
    return Story(
        id=info.story_id or make_story_id("pagestore", page.day, page.feed_md5, page.url),
        rss_entry=RSSEntry(
            link=page.url,
            fetch_date=page.day.isoformat(),
            source_feed_id=feed_id or None,
            via=f"pagestore {page.day.isoformat()} {page.md5}",
        ),
        raw_html=RawHTML(content, None),
        http_metadata=HTTPMetadata(
            response_code=200 if info.status is None else info.status,
            fetch_timestamp=midnight if info.fetched is None else info.fetched,
            final_url=info.final_url or page.url,
            encoding=info.charset,
        ),
        content_metadata=ContentMetadata(language=language),
    )


def _moment(stamp: float | None) -> datetime:
    try:
        return datetime.fromtimestamp(stamp, UTC) if stamp is not None else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.now(UTC)

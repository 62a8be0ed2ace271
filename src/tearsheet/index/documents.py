"""Turn a story of the pipeline into a story of the index: the importer's rules, as pure functions."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

from tearsheet.engines.index import IndexedStory
from tearsheet.errors import StoryError
from tearsheet.query import moment_span
from tearsheet.story import MAX_DAYS_AHEAD, OWN_CONTENT_FIELDS, Story
from tearsheet.urls import BadURL, canonical_domain, non_news_host, url_hash

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class NotIndexable(StoryError, ValueError):
    """The story lacks what an index needs, is no news, or was not collected.

    It is counted under `reason`: `no-url`, `no-text`, `no-data`, `non-news`, `spidered`.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


def indexed_story(story: Story, now: datetime) -> IndexedStory:
    """The form in which a collected story is indexed. Raises NotIndexable."""
    if story.spidered:
        raise NotIndexable("spidered", "the spider of a topic fetched it, and nobody collected it")
    content = story.content_metadata
    url = content.url or story.url
    if not url and not content.text_content:
        raise NotIndexable("no-data", "neither an address nor a text")
    if not url:
        raise NotIndexable("no-url", "no address")
    if host := non_news_host(url):
        raise NotIndexable("non-news", host)
    if not (content.text_content or "").strip():
        raise NotIndexable("no-text", f"no text was found in {url}")
    try:
        identifier, domain = url_hash(url), content.canonical_domain or canonical_domain(url)
    except BadURL as error:
        raise NotIndexable("no-url", str(error)) from error
    moment = indexed_date(content.parsed_date, now)
    published, source = publication_date(story, moment)
    own = {name: getattr(content, name) for name in OWN_CONTENT_FIELDS if getattr(content, name) not in (None, [], "")}
    return IndexedStory(
        id=identifier,
        story_id=story.id,
        url=url,
        canonical_domain=domain.lower(),
        indexed_date=moment,
        article_title=content.article_title or "",
        text_content=content.text_content or "",
        language=(content.language or "").lower(),
        publication_date=published,
        original_url=content.original_url or "",
        source_id=story.rss_entry.source_source_id,
        feed_id=story.rss_entry.source_feed_id,
        extra=own | ({"publication_date_source": source} if source else {}),
    )


def indexed_date(parsed_date: str | None, now: datetime) -> int:
    """When the story was first parsed, in nanoseconds since 1970; now, if that was not recorded.

    Early stories have only a day; others have a space or a `T` before the time.
    """
    try:
        return max(moment_span((parsed_date or "").strip())[0], 0)
    except ValueError:
        return int(now.timestamp()) * 1_000_000_000 + now.microsecond * 1000


def publication_date(story: Story, moment: int) -> tuple[str | None, str | None]:
    """The day of publication as YYYY-MM-DD, and where it was found; (None, None) when no day can be trusted.

    The page's own date comes first, then the feed's. Neither may be more than 90 days after the moment of parsing.
    """
    content = story.content_metadata
    latest = datetime.fromtimestamp(moment // 1_000_000_000, UTC).date() + timedelta(days=MAX_DAYS_AHEAD)
    for day, source in (
        (_page_day(content.publication_date), content.publication_date_source or "page"),
        (_feed_day(story.rss_entry.pub_date), "feed"),
    ):
        if day is not None and day <= latest:
            return day.isoformat(), source
    return None, None


def _page_day(text: str | None) -> date | None:
    found = _DAY.match(text or "")
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


def _feed_day(text: str | None) -> date | None:
    """The UTC day of an RFC 2822 date, or of an ISO date, because feeds have both."""
    if not text:
        return None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text.strip())
            return (moment.astimezone(UTC) if moment.tzinfo else moment).date()
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None

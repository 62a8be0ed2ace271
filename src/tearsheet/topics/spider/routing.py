"""Where a story or link goes next. The pseudo-code of the topic pipeline, word by word, as pure functions."""

from __future__ import annotations

TOPIC_RUN = "topic_run"
TOPIC_MINE_STORY = "topic_mine_story"
TOPIC_FETCH_LINK = "topic_fetch_link"
TOPIC_ADD_STORY = "topic_add_story"
FACEBOOK_FETCH_STORY_STATS = "facebook_fetch_story_stats"
TOPIC_SNAPSHOT = "topic_snapshot"
JOBS = (
    TOPIC_RUN,
    TOPIC_MINE_STORY,
    TOPIC_FETCH_LINK,
    TOPIC_ADD_STORY,
    FACEBOOK_FETCH_STORY_STATS,
    TOPIC_SNAPSHOT,
)
"""Every job, by the name that its queue has too."""


def after_seed(*, seed_has_stories_id: bool, seed_url_matches_existing_story: bool) -> str:
    """A seed with a story, or whose address is a known story's, is added; any other is fetched."""
    if seed_has_stories_id or seed_url_matches_existing_story:
        return TOPIC_ADD_STORY
    return TOPIC_FETCH_LINK


def after_mine(*, link_matches_existing_story: bool, story_in_topic: bool) -> str | None:
    """A link to an unknown page is fetched, one to a story of the topic ends here, one to another story adds it."""
    if not link_matches_existing_story:
        return TOPIC_FETCH_LINK
    return None if story_in_topic else TOPIC_ADD_STORY


def after_fetch(*, content_matches: bool) -> str | None:
    """A page that may be relevant is added as a story; any other ends here."""
    return TOPIC_ADD_STORY if content_matches else None


def after_add(*, story_is_relevant: bool, iteration: int, max_iterations: int) -> tuple[str, ...]:
    """A relevant story gets its share counts and, below the limit of iterations, its links followed."""
    if not story_is_relevant:
        return ()
    if iteration < max_iterations:
        return FACEBOOK_FETCH_STORY_STATS, TOPIC_MINE_STORY
    return (FACEBOOK_FETCH_STORY_STATS,)


def wait_for_media(last_fetch: float | None, now: float, seconds_per_media_fetch: float) -> float:
    """Seconds until a source may be fetched from again; 0 when it may be now."""
    if last_fetch is None:
        return 0.0
    return max(0.0, last_fetch + seconds_per_media_fetch - now)

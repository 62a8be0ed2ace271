"""Where a job goes next."""

from tearsheet.topics.spider.routing import after_add, after_fetch, after_mine, after_seed, wait_for_media


def test_routes():
    assert after_seed(seed_has_stories_id=True, seed_url_matches_existing_story=False) == "topic_add_story"
    assert after_seed(seed_has_stories_id=False, seed_url_matches_existing_story=True) == "topic_add_story"
    assert after_seed(seed_has_stories_id=False, seed_url_matches_existing_story=False) == "topic_fetch_link"
    assert after_mine(link_matches_existing_story=False, story_in_topic=False) == "topic_fetch_link"
    assert after_mine(link_matches_existing_story=True, story_in_topic=True) is None
    assert after_mine(link_matches_existing_story=True, story_in_topic=False) == "topic_add_story"
    assert after_fetch(content_matches=True) == "topic_add_story"
    assert after_fetch(content_matches=False) is None
    both, facebook = ("facebook_fetch_story_stats", "topic_mine_story"), ("facebook_fetch_story_stats",)
    assert after_add(story_is_relevant=True, iteration=14, max_iterations=15) == both
    assert after_add(story_is_relevant=True, iteration=15, max_iterations=15) == facebook
    assert after_add(story_is_relevant=False, iteration=0, max_iterations=15) == ()


def test_throttle():
    assert wait_for_media(None, 100, 10) == 0
    assert wait_for_media(95, 100, 10) == 5
    assert wait_for_media(80, 100, 10) == 0

import pytest

from tearsheet.topics.model import Progress
from tearsheet.topics.spider.giving_up import why_given_up


def why(progress: Progress, idle: float = 0.0) -> str:
    return why_given_up(progress, idle, max_error_share=0.02, stuck_seconds=1_800.0)


@pytest.mark.parametrize(
    ("links", "stories", "errors", "given_up"),
    [(0, 0, 10, False), (0, 0, 11, True), (900, 99, 20, False), (900, 99, 21, True)],
)
def test_few_errors_of_our_own_are_tolerated(links, stories, errors, given_up):
    reason = why(Progress(to_fetch=1, links=links, stories=stories, errors=errors))
    assert reason.startswith(f"{errors} errors of our own") is given_up


def test_a_run_without_progress_is_given_up_with_what_it_waits_for():
    waiting = Progress(to_fetch=3, first_waited_for="http://a.example/1")
    assert why(waiting, 1_800.0) == ""
    assert (
        why(waiting, 1_801.0)
        == "no progress for 1,801 s, waiting for 3 links to be fetched (the first: http://a.example/1)"
    )
    assert why(Progress(stories=5), 1_801.0) == ""

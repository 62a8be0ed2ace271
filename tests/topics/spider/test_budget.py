"""Which stories come first when there is no room for all."""

from itertools import permutations

from tearsheet.topics.spider.budget import Found, Waiting, choose, order_of_discovery, said_of_budget, self_linked

WAYS = [Found("c", 1, 0), Found("a", 1, 4), Found("b", 2, 0), Found("a", 2, 1), Found("elsewhere", 1, 1)]


def test_the_first_finder_comes_first_then_the_place_of_its_link():
    for ways in permutations(WAYS):
        assert order_of_discovery(["a", "b", "c"], ways) == ["c", "a", "b"]


def test_what_was_found_in_one_place_is_in_order_of_ids_and_what_nothing_leads_to_comes_last():
    assert order_of_discovery(["x", "b", "a"], [Found("b", 0, 1), Found("a", 0, 1)]) == ["a", "b", "x"]


def test_what_was_left_out_is_told():
    assert said_of_budget(1000, 1) == "the size budget of 1,000 stories is used up, 1 more over budget"


def test_only_links_of_its_own_source_make_a_story_self_linked():
    assert self_linked([Found("a", 1, 0, True), Found("b", 1, 1, True), Found("b", 2, 0), Found("c", 0, 1)]) == {"a"}


def test_what_is_judged_next():
    waiting = [Waiting(name, "trap", True) for name in "abc"] + [Waiting("d", "trap", False), Waiting("e", "x", True)]
    assert choose(waiting, 9, 9, {}) == (["a", "b", "c", "d", "e"], [])
    assert choose(waiting, 2, 9, {}) == (["a", "b"], [])
    assert choose(waiting, 9, 2, {"trap": 1}) == (["a", "d", "e"], [])
    assert choose(waiting, 9, 2, {"trap": 2}) == (["d", "e"], ["a", "b", "c"])

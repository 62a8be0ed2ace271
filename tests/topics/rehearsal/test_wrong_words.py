from tearsheet.topics.rehearsal.wrong_words import Exclusion, exclusion_hint, words_of_wrong

WRONG = [{"goal", "match", "the"}, {"goal", "league", "the"}, {"match", "league", "the", "river"}, {"cup", "the"}]
RIGHT = [{"river", "the"}, {"river", "dam", "the"}, {"dam", "the", "league"}]


def test_stories_are_counted_and_not_how_often_a_word_stands_in_one():
    rows = words_of_wrong([["goal", "goal", "goal", "the"]], [["the"], ["the", "goal"]])
    assert [(row.word, row.first, row.second) for row in rows] == [("goal", 1, 1), ("the", 1, 2)]


def test_words_of_a_single_story_are_left_out():
    words = [row.word for row in words_of_wrong(WRONG, RIGHT)]
    assert words[0] in ("goal", "match") and words[-1] in ("dam", "river")
    assert "cup" not in words


def test_a_hint_leaves_out_wrong_stories_alone():
    hint = exclusion_hint(WRONG, RIGHT, words_of_wrong(WRONG, RIGHT))
    assert hint == Exclusion("NOT (goal OR match)", 3)


def test_there_is_no_hint_without_right_stories_or_telling_words():
    assert exclusion_hint(WRONG, [], words_of_wrong(WRONG, [])) is None
    assert exclusion_hint(RIGHT, WRONG[2:3], words_of_wrong(RIGHT, WRONG[2:3])) == Exclusion("NOT dam", 2)
    assert exclusion_hint([], RIGHT, words_of_wrong([], RIGHT)) is None

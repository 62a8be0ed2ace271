from tearsheet.topics.spider.pace import is_missed, wait_for_media


def test_a_source_is_left_alone_for_its_seconds():
    assert wait_for_media(None, 100, 10) == 0
    assert wait_for_media(95, 100, 10) == 5
    assert wait_for_media(80, 100, 10) == 0


def test_a_turn_is_missed_when_the_next_one_has_come():
    assert not is_missed(100.0, 110.0, 10.0)
    assert is_missed(100.0, 110.5, 10.0)

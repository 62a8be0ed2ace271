from tearsheet.topics.spider.pace import wait_for_media


def test_a_source_is_left_alone_for_its_seconds():
    assert wait_for_media(None, 100, 10) == 0
    assert wait_for_media(95, 100, 10) == 5
    assert wait_for_media(80, 100, 10) == 0

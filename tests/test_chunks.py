from tearsheet.chunks import chunks


def test_all_items_come_in_order_and_none_is_read_before_it_is_needed():
    assert list(chunks("abcdefg", 3)) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
    assert list(chunks([], 3)) == []
    waiting = iter(range(10))
    assert next(chunks(waiting, 4)) == [0, 1, 2, 3]
    assert next(waiting) == 4

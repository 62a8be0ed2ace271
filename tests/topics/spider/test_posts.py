"""Posts as seeds."""

import json
from datetime import date

import pytest

from tearsheet.errors import UsageError
from tearsheet.query import parse_query
from tearsheet.topics.spider.posts import is_about, make_post, read_posts

ROW = {
    "content": "A flood: http://a.example/1?utm_source=x, http://a.example/1.",
    "author": "ann",
    "publish_date": "2024-05-31",
}


def test_a_post_and_its_addresses():
    post = make_post(ROW)
    assert (post.author, post.channel, post.day) == ("ann", "ann", date(2024, 5, 31))
    assert post.urls == ("http://a.example/1",)
    assert make_post(ROW).id == post.id != make_post(ROW | {"content": "Else"}).id
    told = make_post(ROW | {"post_id": "7", "channel": "news", "publish_date": "2024-05-31T10:00:00Z"})
    assert (told.id, told.channel, told.day) == ("7", "news", post.day)
    assert make_post(ROW | {"content": "see http://www.addtoany.com/share_save?x"}).urls == ()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW | {"author": " "}, "there is no 'author'"),
        (ROW | {"publish_date": "yesterday"}, "publish_date 'yesterday' is not a day"),
        ([1], "not an object"),
    ],
)
def test_a_post_that_lacks_something(row, reason):
    with pytest.raises(ValueError, match=reason):
        make_post(row)


def test_a_post_belongs_to_the_topic_by_day_and_words():
    post, query = make_post(ROW), parse_query("flood")
    assert is_about(post, query, None, date(2024, 5, 31))
    assert not is_about(post, query, date(2024, 6, 1), None)
    assert not is_about(post, parse_query("dam"), None, None)


def test_files_of_posts(tmp_path):
    table, lines = tmp_path / "posts.csv", tmp_path / "posts.jsonl"
    table.write_text('content,author,publish_date\r\n"A flood, http://a.example/1",ann,2024-05-31\r\n', "utf-8-sig")
    lines.write_text(
        '{"content": "A flood, http://a.example/1", "author": "ann", "publish_date": "2024-05-31"}\n', "utf-8"
    )
    assert list(read_posts(table)) == list(read_posts(lines))
    for text in ("{", "3", '{"content": "x"}'):
        lines.write_text('{"content": "x", "author": "y", "publish_date": "2024-05-31"}\n' + text, "utf-8")
        with pytest.raises(UsageError, match="line 2"):
            list(read_posts(lines))
    with pytest.raises(UsageError, match="cannot read"):
        list(read_posts(tmp_path / "none.csv"))


def test_half_a_character_in_a_post_is_replaced(tmp_path):
    lines = tmp_path / "posts.jsonl"
    lines.write_text(json.dumps(ROW | {"content": "flood \ud83d", "author": "\udfff", "post_id": 10**30}), "utf-8")
    [post] = read_posts(lines)
    assert (post.content, post.author, post.id) == ("flood \ufffd", "\ufffd", "1e+30")

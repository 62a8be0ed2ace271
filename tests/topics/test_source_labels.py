"""Labels of sources, as others write them down."""

import pytest

from tearsheet.errors import UsageError
from tearsheet.topics.foci import Focus
from tearsheet.topics.source_labels import MOST_LABELS, read_labels

GOOD = {"a.example": ("left", 2), "b.co.uk": ("right", 3)}


@pytest.mark.parametrize(
    "body",
    [
        b"source,label\na.example,left\nhttps://www.b.co.uk/news?x=1,right\n",
        b"\xef\xbb\xbfsource;label\r\nA.example;left\r\nb.co.uk;right\r\n",
        b'"id"\t"domain"\t"label"\n1\twww.a.example\t left \n2\tb.co.uk\t"right"\n',
        b"label,url,source\nleft,http://other.example/,a.example\nright,http://other.example/,b.co.uk\n",
    ],
)
def test_tables_are_read_as_spreadsheets_write_them(body):
    labels = read_labels(body)
    assert (labels.by_source, labels.refused) == (GOOD, [])


def test_each_label_is_a_focus_of_a_set():
    labels = read_labels("media,label\nb.example,links\na.example,links\nc.example,b\u00fcrgerlich\n".encode())
    assert labels.foci("party") == {
        "party/b\u00fcrgerlich": Focus(sources=("c.example",)),
        "party/links": Focus(sources=("a.example", "b.example")),
    }
    assert list(labels.unknown({"a.example", "b.example"})) == ["line 4: c.example has no story in the topic"]


def test_lines_that_say_nothing_are_refused_by_line():
    body = b"source,label\na.example,left\n,left\nb.example,\nhttp://[,left\na.example,right\nwww.a.example,left\n"
    body += b"d.example," + b"x" * 41 + b"\n"
    labels = read_labels(body)
    assert labels.by_source == {"a.example": ("left", 2)}
    assert labels.refused == [
        "line 3: no source",
        "line 4: b.example has no label",
        "line 5: 'http://[' is no source",
        "line 6: a.example is 'left' by an earlier line, and here 'right'",
        "line 8: a label has at most 40 characters",
    ]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "line 1: there is no column 'label'"),
        (b"source,party\na.example,left\n", "line 1: there is no column 'label'"),
        (b"paper,label\na.example,left\n", "line 1: there is no column 'source'"),
        (b"source,label\nM\xfcnchen.example,left\n", "line 2: not in UTF-8"),
        ("source,label\na.example,left\n".encode("utf-16"), "line 1: not in UTF-8"),
        (b"source,label\na.example\n", "line 2: fewer columns"),
        (b'source,label\n"a.example,left\n', "line 2: unexpected end"),
        (b"source,label\n", "no line has a source and a label"),
        (b"source,label\na.example,\n", "no line has a source and a label; line 2: a.example has no label"),
    ],
)
def test_what_is_no_such_table_is_refused(body, said):
    with pytest.raises(UsageError, match=said):
        read_labels(body)


def test_a_score_is_no_label():
    rows = b"".join(b"a%d.example,%d\n" % (n, n) for n in range(MOST_LABELS + 1))
    with pytest.raises(UsageError, match="51 labels, and 50 at most"):
        read_labels(b"source,label\n" + rows)

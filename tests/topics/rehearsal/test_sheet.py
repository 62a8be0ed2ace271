import pytest

from tearsheet.errors import UsageError
from tearsheet.topics.rehearsal.sheet import read_sheet


def sheet(tmp_path, *rows: str):
    file = tmp_path / "sheet.csv"
    file.write_text("\n".join(["judgement,title,stories_id", *rows]), "utf-8-sig")
    return file


def test_judgements_are_read_as_people_write_them(tmp_path):
    file = sheet(tmp_path, "y,A,a", "NO,B,b", " 1 ,C,c", "0,D,d", "s,E,e", ",F,f")
    assert read_sheet(file, set("abcdef")) == {"a": True, "b": False, "c": True, "d": False, "e": None, "f": None}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["y,A,a", "perhaps,B,b"], "line 3: the judgement is 'perhaps': write y, n, or s"),
        (["y,A,z"], "line 2: 'z' is not the id of a story"),
        ([",A,a", "s,B,b"], "line 3: no row has a judgement yet"),
        ([], "line 1: no row has a judgement yet"),
    ],
)
def test_a_sheet_that_says_something_else_is_refused_with_its_line(rows, said, tmp_path):
    with pytest.raises(UsageError, match=said):
        read_sheet(sheet(tmp_path, *rows), {"a", "b"})

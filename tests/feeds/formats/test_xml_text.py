"""XML from the web is read as far as it makes sense."""

import pytest

from tearsheet.feeds.formats.xml_text import read_xml


@pytest.mark.parametrize(
    "hidden", ["&#5&#0;5357;", "&#5\x005357;", "&#xd8&#xd800;00;", "&#x&#1;d800;", "&#55357&semi;", "&&num;55357;"]
)
def test_what_is_left_out_leaves_no_half_character(hidden):
    """A parser that recovers would take it, and whoever reads the text would stumble over it."""
    root, _ = read_xml(f"<a b='{hidden}'>& {hidden}</a>".encode(), "")
    assert root is not None
    assert "\ud83d" not in (root.text or "") + str(root.get("b"))

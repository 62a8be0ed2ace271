"""XML from the web is read as far as it makes sense."""

import pytest

from tearsheet.feeds.formats.xml_text import read_xml


@pytest.mark.parametrize(
    "hidden", ["&#5&#0;5357;", "&#5\x005357;", "&#xd8&#xd800;00;", "&#x&#1;d800;", "&#55357&semi;", "&&num;55357;"]
)
def test_what_is_left_out_leaves_no_half_character(hidden):
    """A parser that recovers would take it, and whoever reads the text would stumble over it."""
    root = read_xml(f"<a b='{hidden}'>& {hidden}</a>".encode(), "").root
    assert root is not None
    assert "\ud83d" not in (root.text or "") + str(root.get("b"))


@pytest.mark.parametrize(
    "long",
    ["x" * 10_500_000, f"<b c='{'x' * 10_500_000}'/>", f"<![CDATA[{'x' * 10_500_000}]]>", "<b>" * 500 + "</b>" * 500],
)
def test_what_follows_a_very_long_text_or_deep_nesting_is_read(long):
    """libxml2 stops at texts over ten megabytes and below 256 elements, and would leave out the rest in silence."""
    root, _ = read_xml(f"<rss><item>{long}</item><item>news</item></rss>".encode(), "")
    assert root is not None
    assert [child.text for child in root][1:] == ["news"]


def test_entities_still_do_not_grow():
    declared = (
        "<!ENTITY a '"
        + "x" * 1000
        + "'>"
        + "".join(f"<!ENTITY {name} '{f'&{of};' * 100}'>" for name, of in zip("bcde", "abcd", strict=True))
    )
    root, repaired = read_xml(f"<!DOCTYPE rss [{declared}]><rss><item>&e;</item></rss>".encode(), "")
    assert repaired
    assert root is None or len("".join(map(str, root.itertext()))) < 1000

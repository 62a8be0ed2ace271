"""Titles as people read them."""

from __future__ import annotations

import pytest

from tearsheet.feeds.formats.titles import plain_title


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("A<!-- <script> --> b<!-- <script> --></script> c<script x>d</script > e", "A b c e"),
        ("A <style>b<!-- c</style> d --> e", "A d --> e"),
        ("A <SCRIPT>b</Script> c", "A c"),
        ("A <script src=x> b", "A b"),
        ("A <script>b</script> c <!-- d <script>e</script> f", "A c <!-- d f"),
        ("How to write a <!-- comment", "How to write a <!-- comment"),
        ("The <script> tag", "The <script> tag"),
    ],
)
def test_what_is_never_shown_is_no_part_of_a_title(written: str, read: str) -> None:
    assert plain_title(written) == read

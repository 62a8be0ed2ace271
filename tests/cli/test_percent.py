"""Shares in percent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.cli.percent import in_percent


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0.0, "0 %"), (1.0, "100.0 %"), (0.123, "12.3 %"), (0.0123, "1.2 %"), (0.005, "0.50 %"), (0.00123, "0.12 %"),
        (0.0000456, "0.0046 %"), (12.0, "1,200.0 %"),
    ],
)  # fmt: skip
def test_small_shares_have_the_digits_that_they_need(share, shown):
    assert in_percent(share) == shown


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_a_share_of_something_is_never_shown_as_nothing(part, whole):
    shown = float(in_percent(part / whole).removesuffix(" %").replace(",", ""))
    assert shown == pytest.approx(100 * part / whole, rel=0.05)

"""The parameters in an address: each is given once.

Of two values, one program takes the first, another the last, a third both. So nobody's choice is made here: they are refused.
"""

from __future__ import annotations

from collections import Counter

from fastapi import Request

from tearsheet.errors import UsageError

LISTS = frozenset({"fields"})
"""What Media Cloud's client gives once for each field of a story; its stories have all of them here."""


def check_parameters(request: Request) -> None:
    """Refuse a parameter that is given twice. A dependency of every route. Raises UsageError."""
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        if times > 1 and name not in LISTS:
            raise UsageError(f"{name[:100]}: given {times:,} times; give it once")

"""What a run of the tests leaves out because this machine lacks it, in a line each."""

from __future__ import annotations

import re

from tests.support.chromium import NO_BROWSER
from tests.support.servers import LEFT_OUT


def left_out(reasons: list[str]) -> list[str]:
    """The lines, from the reasons why tests were skipped."""
    lines = []
    servers = sorted({match[1] for reason in reasons if (match := re.search(LEFT_OUT + r"(\w+)", reason))})
    if servers:
        lines.append(f"engines left out, because they are not running: {', '.join(servers)} (`make engines-up`)")
    if any(NO_BROWSER in reason for reason in reasons):
        lines.append("the pages in a browser left out, because there is none (`make browser`)")
    return lines

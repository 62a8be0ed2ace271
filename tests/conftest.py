"""What every test run shares: tests of real servers are left out by name when the server is not up."""

from __future__ import annotations

import pytest

from tests.engines.servers import left_out, require_server


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("engine"):
        require_server(marker.args[0])


def pytest_terminal_summary(terminalreporter) -> None:
    reports = terminalreporter.stats.get("skipped", [])
    line = left_out([str(report.longrepr) for report in reports])
    if line:
        terminalreporter.write_line(line, yellow=True)

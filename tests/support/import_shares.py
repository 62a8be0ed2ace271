"""Who prepares which test files, when several processes run them.

Every process imports every test file, and pytest rewrites the asserts of a file when it is first imported. In a fresh clone
all processes would rewrite all files at the same time; so each begins with a share of its own, and finds the rest done.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def import_own_share(config: pytest.Config) -> None:
    """Import every n-th test file, when this is one of n processes that run all of them."""
    process = getattr(config, "workerinput", None)
    tests = ROOT / "tests"
    if process is None or [Path(arg).resolve() for arg in config.args] != [tests]:
        return
    number, count = int(process["workerid"].removeprefix("gw")), process["workercount"]
    for file in sorted(tests.rglob("test_*.py"))[number::count]:
        with suppress(
            Exception, pytest.skip.Exception
        ):  # pytest tells what is wrong with a file when it looks for its tests
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))

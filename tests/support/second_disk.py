"""A folder on another disk than the temporary folders of the tests: memory that is mounted as one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_MOUNTED = Path("/dev/shm")

"""Every Linux has this one."""


@contextmanager
def second_disk(beside: Path) -> Iterator[Path]:
    """An empty folder on another disk than `beside`; removed afterwards. Skips the test where there is none."""
    if not os.access(_MOUNTED, os.W_OK) or _MOUNTED.stat().st_dev == beside.stat().st_dev:
        pytest.skip("there is no second disk on this machine")
    folder = Path(tempfile.mkdtemp(dir=_MOUNTED, prefix="tearsheet-test-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Where things lie, whatever folder a test is in."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED_DATA = Path(os.environ.get("TEARSHEET_SHARED_DATA", ROOT.parent / "shared" / "data"))
"""The evaluation pages and feeds, which are not part of the repository."""

"""Where things lie, whatever folder a test is in."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

"""How long a test waits for what must come: long enough for a machine on which everything else runs too."""

from __future__ import annotations

PATIENCE = 60.0

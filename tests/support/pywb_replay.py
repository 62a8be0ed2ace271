"""Another program that replays our files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT


def replay_with_pywb(folder: Path, collections: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What pywb answers, by collection and address; see the script."""
    script = ROOT / "tests" / "support" / "replay_with_pywb.py"
    result = subprocess.run(
        [sys.executable, str(script), str(folder)],
        input=json.dumps(collections), capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert result.stdout, result.stderr
    answers: dict[str, dict[str, Any]] = json.loads(result.stdout.splitlines()[-1])
    return answers

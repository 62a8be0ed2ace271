"""Commands of a user who may not write where root may: `python -m tests.support.without_rights DATA`, a JSON list of words a line.

Root passes over all rights by its capabilities. This process gives them up, so that a file which nobody may write is one that it
cannot write. The answer to each line is its exit code, and what it printed as an error, or at all if its answer is no; a
defect is told as one.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.tearsheet_command import in_process

_VERSION_3 = 0x20080522
_SECURE_BITS, _NO_ROOT = 28, 0b11
"""From <linux/prctl.h> and <linux/securebits.h>: a program that root starts gets no capabilities for that."""


def run_without_rights(data: Path, lines: Sequence[Sequence[str]], timeout: float) -> list[tuple[int, str]]:
    """Run commands one after the other in a process without the rights of root."""
    asked = "".join(json.dumps(list(words)) + "\n" for words in lines)
    words = [sys.executable, "-m", "tests.support.without_rights", str(data)]
    done = subprocess.run(words, cwd=ROOT, input=asked, capture_output=True, text=True, timeout=timeout, check=True)
    return [(code, said) for code, said in map(json.loads, done.stdout.splitlines())]


def give_up_rights() -> None:
    """Be held to the rights of files, as everybody but root is, together with all processes that are started from here."""
    if os.geteuid() != 0:
        return
    system = ctypes.CDLL(None, use_errno=True)
    nothing = (ctypes.c_uint32 * 6)()
    if system.prctl(_SECURE_BITS, _NO_ROOT, 0, 0, 0) or system.capset((ctypes.c_uint32 * 2)(_VERSION_3, 0), nothing):
        raise OSError(ctypes.get_errno(), "cannot give up capabilities")


def main() -> None:
    give_up_rights()
    for line in sys.stdin:
        result = in_process(*json.loads(line), data=Path(sys.argv[1]))
        said = (result.stdout_bytes if result.exit_code == 1 else result.stderr_bytes).decode()
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            said += "".join(traceback.format_exception(result.exception))
        print(json.dumps([result.exit_code, said]), flush=True)


if __name__ == "__main__":
    main()

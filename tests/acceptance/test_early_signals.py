"""A signal that comes before a command waits for signals ends it like any other: with 11, and without a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "imported", ["tearsheet.cli", "typer", "tearsheet.cli.feeds", "tearsheet.app", "tearsheet.feeds"]
)
def test_a_signal_while_the_program_loads_is_an_interruption(tmp_path, imported, number):
    script = f"""
import os, sys

class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == {imported!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), {int(number)})

from tearsheet.__main__ import main
sys.meta_path.insert(0, Signalling())
main()
"""
    command = [sys.executable, "-c", script, "--data", str(tmp_path), "feeds", "poll"]
    done = subprocess.run(command, capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (11, b"")

"""What signals do before a command handles them itself."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from signal import SIGINT, SIGTERM

import pytest

from tearsheet import start
from tests.support.patience import PATIENCE

SIGNALLED = """
import os, sys
from importlib.abc import MetaPathFinder

class Signals(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Signals())
sys.argv = ["tearsheet", "serve", "--port", "0"]
from tearsheet.__main__ import main
main()
"""


@pytest.mark.parametrize("number", [SIGINT, SIGTERM])
@pytest.mark.parametrize("module", ["typer", "tearsheet.cli.serve"])
def test_a_signal_while_the_program_loads_ends_it_without_a_word(number, module, tmp_path):
    words = [sys.executable, "-c", SIGNALLED.format(module=module, number=int(number))]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (11, "", "")
    assert list(tmp_path.iterdir()) == []


def test_the_garbage_collector_seldom_looks_at_what_is_being_loaded(monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    usual = gc.get_threshold()
    try:
        start.load()
        assert gc.isenabled() and gc.get_threshold()[0] >= 50_000 and gc.get_threshold()[1:] == usual[1:]
    finally:
        gc.set_threshold(*usual)


def test_once_a_command_has_begun_both_signals_are_ctrl_c(monkeypatch):
    handlers = {SIGINT: start._leave, SIGTERM: start._leave}
    monkeypatch.setattr(signal, "getsignal", handlers.get)
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    start.begin()
    assert handlers == dict.fromkeys(handlers, signal.default_int_handler)


def test_a_program_that_uses_ours_keeps_its_handlers(monkeypatch):
    handlers = {SIGINT: signal.SIG_IGN, SIGTERM: signal.SIG_DFL}
    monkeypatch.setattr(signal, "getsignal", handlers.get)
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    start.begin()
    assert handlers == {SIGINT: signal.SIG_IGN, SIGTERM: signal.SIG_DFL}

"""A shell in a real pseudo-terminal: lines are typed into it as people type them, and what it then shows is read.

What is read is what stands on the screen: a line of progress that was erased, or a table that was drawn over, is gone. Lines
that are wider than the window are kept whole, as they are when somebody copies them.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tests.support.patience import PATIENCE

_ROWS = 5000
"""So tall that no list goes through a pager, unless a test asks for a window of a usual height."""
_PROMPT = re.compile(r"<(\d+)>\$ \Z")
_CONTROL = re.compile(
    r"\x1b\](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)|\x1b\[([?>=]?)([\d;]*)([A-Za-z])|\x1b[=>()][0-9B]?"
)
"""Commands to a terminal: titles and links (OSC), and those that move, erase and colour (CSI)."""


@dataclass(slots=True, frozen=True)
class Shown:
    """What a command line left on the screen, what the terminal was sent for it, and how it ended."""

    text: str
    raw: str
    code: int


class PseudoTerminal:
    """A bash in a window of some width, in a folder, with the environment of somebody who has just logged in."""

    def __init__(self, folder: Path, width: int = 80, rows: int = _ROWS, **environ: str) -> None:
        self._window, window_of_shell = pty.openpty()
        fcntl.ioctl(window_of_shell, termios.TIOCSWINSZ, struct.pack("HHHH", rows, width, 0, 0))
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "--noediting", "-i"],
            cwd=folder,
            env=_logged_in(folder) | environ,
            stdin=window_of_shell,
            stdout=window_of_shell,
            stderr=window_of_shell,
            preexec_fn=_own_session,
        )
        os.close(window_of_shell)
        self._wait(_at_prompt)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the window: the shell and what runs in it get SIGHUP, and what stays all the same is killed."""
        os.close(self._window)
        try:
            self._shell.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._shell.pid, signal.SIGKILL)
            self._shell.wait()

    def type(self, line: str, until: str = "", answer: str = "") -> Shown:
        """Type a line and wait for the next prompt. `until` is what appears before `answer` is typed."""
        os.write(self._window, f"{line}\n".encode())
        before = self._wait(lambda read: until in on_screen(_without_echo(read))) if answer else ""
        os.write(self._window, answer.encode())
        read = self._wait(lambda later: _at_prompt(before + later))
        raw = _without_echo(before + read)
        screen = on_screen(raw)
        ended = _PROMPT.search(screen)
        assert ended is not None
        return Shown(screen[: ended.start()], raw, int(ended[1]))

    def begin(self, line: str, until: str) -> str:
        """Type a line that goes on until it is stopped, and wait for what it says when it is ready."""
        os.write(self._window, f"{line}\n".encode())
        return on_screen(_without_echo(self._wait(lambda read: until in on_screen(_without_echo(read)))))

    def stop(self) -> Shown:
        """Ctrl-C, and what is shown after it."""
        os.write(self._window, b"\x03")
        screen = on_screen(self._wait(_at_prompt))
        ended = _PROMPT.search(screen)
        assert ended is not None
        return Shown(screen[: ended.start()], screen, int(ended[1]))

    def _wait(self, enough: Callable[[str], bool]) -> str:
        read = b""
        until = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < until:
            if select.select([self._window], [], [], 1.0)[0]:
                read += os.read(self._window, 65536)
                if enough(read.decode("utf-8", "replace")):
                    return read.decode("utf-8", "replace")
        raise AssertionError(f"the terminal waits for something else: {on_screen(read.decode('utf-8', 'replace'))}")


def _own_session() -> None:
    """The window becomes the terminal of the shell, which Ctrl-C and the end of the window reach."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _logged_in(home: Path) -> dict[str, str]:
    """An environment with the program in reach, and nothing of whoever runs the tests."""
    reach = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
    said = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PS1": "<$?>$ ", "TEARSHEET_WEB_PORT": "0"}
    return said | {"HOME": str(home), "PATH": reach, "PYTHONPATH": os.environ["PYTHONPATH"]}


def _at_prompt(read: str) -> bool:
    return _PROMPT.search(read[-40:]) is not None


def _without_echo(read: str) -> str:
    """What came after the typed line, which the terminal shows as well."""
    return read.partition("\r\n")[2]


def on_screen(raw: str) -> str:
    """The lines that stand on a screen of any width after it was sent this."""
    screen = [""]
    row = column = 0
    at = 0
    while at < len(raw):
        if command := _CONTROL.match(raw, at):
            at = command.end()
            row, column = _obey(screen, row, column, command[3] or "", command[2] or "")
            continue
        char = raw[at]
        at += 1
        if char == "\r":
            column = 0
        elif char == "\n":
            row += 1
            if row == len(screen):
                screen.append("")
        elif char == "\b":
            column = max(column - 1, 0)
        elif char >= " ":
            screen[row] = screen[row][:column].ljust(column) + char + screen[row][column + 1 :]
            column += 1
    return "\n".join(screen).rstrip("\n")


def _obey(screen: list[str], row: int, column: int, command: str, number: str) -> tuple[int, int]:
    """What a command to the terminal does to the screen; returns where the next character goes."""
    times = int(number) if number.isdecimal() else 1
    if command == "A":
        return max(row - times, 0), column
    if command == "G":
        return row, times - 1
    if command == "K":
        screen[row] = "" if number == "2" else screen[row][:column]
    if command == "J":
        screen[row] = screen[row][:column]
        del screen[row + 1 :]
    return row, column

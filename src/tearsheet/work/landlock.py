"""Leaves a process only some files to read, by the kernel's Landlock: nothing else can be opened, made, moved or deleted.

Written by hand because it is three system calls. Of the packages that offer them, measured in November 2026, one (landlock) is a
development release, another (py-landlock) calls itself alpha, and the third (landlockpy) is new; each is several times this module.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""How many rights to files the kernel knows from which version of its interface on."""
_NETWORK_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SOCKETS_AND_SIGNALS = 6, 0b11


def version() -> int:
    """The version of Landlock's interface in this kernel; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    except OSError:
        return 0


def allow_only_reading(places: Iterable[Path]) -> None:
    """From now on, let this thread read what is in these places, and use no other file and (where the kernel knows how) no network.

    It must have given up new privileges. Raises OSError.
    """
    known = version()
    files = (1 << max(count for since, count in _FILE_RIGHTS.items() if since <= max(known, 1))) - 1
    network = _TCP if known >= _NETWORK_SINCE else 0
    scopes = _SOCKETS_AND_SIGNALS if known >= _SCOPES_SINCE else 0
    attributes = struct.pack("=QQQ", files, network, scopes)
    rules = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for place in places:
            with suppress(FileNotFoundError):
                _allow(rules, place)
        _call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, place: Path) -> None:
    opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = _READ_FILE | _READ_DIR if S_ISDIR(os.fstat(opened).st_mode) else _READ_FILE
        _call(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock")
    return result

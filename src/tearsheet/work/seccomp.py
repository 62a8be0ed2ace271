"""Leaves a process only the system calls that computing needs: it can open files for reading, and nothing else outside itself.

No sockets, no processes, no threads, no signals, no writing. The filter lists what is allowed, so that what the kernel learns
later is refused too. It is written by hand because the package for it (pyseccomp) was last released in 2021 and needs a C library
that many machines lack, while a filter of this kind is 90 instructions.
"""

from __future__ import annotations

import ctypes
import errno
import struct
import sys
from collections.abc import Iterable, Iterator

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_CALL, _ARCH, _SECOND_ARGUMENT, _THIRD_ARGUMENT = 0, 4, 24, 32
"""Where the kernel puts them. Of an argument, this is the lower half: both machines store that first."""
_FOR_WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000
"""The flags of an opening that writes: the access mode, O_CREAT, O_TRUNC, and that of O_TMPFILE."""
_NEW_CALLS = 424
"""Calls from this number on are the same on all machines, and young: a C library that meets ENOSYS takes an older one instead."""

CALLS: dict[str, tuple[int | None, int | None]] = {
    # Reading what is open, answering, and looking for modules
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
    "getcwd": (79, 17),
    "readlink": (89, None),
    "getdents64": (217, 61),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "statx": (332, 291),
    "close_range": (436, 436),
    "faccessat2": (439, 439),
    # Memory
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "mseal": (462, 462),
    # Signals that come, and the timer of a task
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    # Time, waiting and chance
    "poll": (7, None),
    "sched_yield": (24, 124),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "ppoll": (271, 73),
    "getrandom": (318, 278),
    # Who and where we are
    "getpid": (39, 172),
    "uname": (63, 160),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    # The end
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""What is allowed, with its numbers on x86_64 and aarch64."""
OPENINGS: dict[str, tuple[int | None, int | None]] = {"open": (2, None), "openat": (257, 56)}
"""Allowed for reading."""


def supported(machine: str) -> bool:
    """Whether there is a filter for this kind of machine, as `platform.machine` calls it."""
    return sys.platform == "linux" and machine in _AUDIT_ARCH and ctypes.sizeof(ctypes.c_void_p) == 8


def refuse_other_calls(machine: str) -> None:
    """Filter the calls of this thread from now on. It must have given up new privileges. Raises OSError."""
    program = b"".join(filter_program(machine))
    instructions = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.c_char_p(header), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def filter_program(machine: str) -> Iterator[bytes]:
    """The instructions, in order. A call of another architecture ends the process."""
    allowed = list(_numbers(CALLS, machine))
    yield _instruction(_LOAD, _ARCH)
    yield _instruction(_IF_EQUAL, _AUDIT_ARCH[machine], 1, 0)
    yield _instruction(_RETURN, _KILL)
    yield _instruction(_LOAD, _CALL)
    for name, offset in (("open", _SECOND_ARGUMENT), ("openat", _THIRD_ARGUMENT)):
        for number in _numbers({name: OPENINGS[name]}, machine):
            yield _instruction(_IF_EQUAL, number, 0, 4)
            yield _instruction(_LOAD, offset)
            yield _instruction(_IF_ANY_BIT, _FOR_WRITING, 0, 1)
            yield _instruction(_RETURN, _REFUSE | errno.EPERM)
            yield _instruction(_RETURN, _ALLOW)
    for left, number in zip(range(len(allowed), 0, -1), allowed, strict=True):
        yield _instruction(_IF_EQUAL, number, left + 2, 0)
    yield _instruction(_IF_AT_LEAST, _NEW_CALLS, 1, 0)
    yield _instruction(_RETURN, _REFUSE | errno.EPERM)
    yield _instruction(_RETURN, _REFUSE | errno.ENOSYS)
    yield _instruction(_RETURN, _ALLOW)


def _numbers(calls: dict[str, tuple[int | None, int | None]], machine: str) -> Iterable[int]:
    column = 0 if machine == "x86_64" else 1
    return [number for numbers in calls.values() if (number := numbers[column]) is not None]


def _instruction(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)

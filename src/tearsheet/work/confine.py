"""What a process that reads a stranger's bytes is left with: no secret, no network, no file but the program's own, bounded memory.

The parent gives it an environment without secrets and a deadline for each task; the process itself gives up the rest with `confine`
once its code is loaded, before it is given anything to read. Modules that are loaded later are still found.
"""

from __future__ import annotations

import ctypes
import platform
import site
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tearsheet.work import landlock, seccomp

if sys.platform != "win32":  # where no such process is started, see `pool`
    import resource
    from signal import ITIMER_PROF, SIGKILL, setitimer

_SET_PARENT_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES = 1, 38
_OPEN_FILES = 64
_PASSED_ON = frozenset(
    """
    LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES LC_NUMERIC LC_TIME TZ TZDIR
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH
    PYTHONHOME PYTHONPATH PYTHONPLATLIBDIR PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX
    """.split()
)
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_TIME_ZONES = ("/etc/localtime", "/usr/share/zoneinfo")
_DEVICES = ("/dev/null", "/dev/urandom")


@dataclass(slots=True, frozen=True)
class Limits:
    """What one task may use. The pool refuses a longer answer before it reads it; the kernel refuses more memory."""

    memory: int = 1 << 30
    """Bytes of address space. Of pages made to be dear, those as long as is parsed (12 MB) took the parser to 617 MB, and documents
    as long as an ingest takes (134 MB) needed 896 MB."""
    answer: int = 64 << 20
    """Bytes. The longest answer about such a document had 18 MB: its text."""


@dataclass(slots=True, frozen=True)
class Confinement:
    """What holds for a process, as it reports itself, and what this system cannot refuse it."""

    holds: tuple[str, ...]
    lacks: tuple[str, ...]

    def __str__(self) -> str:
        said = f"yes ({', '.join(self.holds)})" if not self.lacks else f"in part ({', '.join(self.holds) or 'nothing'})"
        return said if not self.lacks else f"{said}; this system lacks {', '.join(self.lacks)}"


def environment_of_child(ours: Mapping[str, str]) -> dict[str, str]:
    """What a child is told of our environment: languages, time zone, where Python finds its code. Never a secret."""
    passed = {name: value for name, value in ours.items() if name in _PASSED_ON}
    if site.ENABLE_USER_SITE:
        passed["PYTHONUSERBASE"] = site.getuserbase()  # it depends on HOME, which is not passed on
    return passed | _ONE_THREAD


def limit_memory(limits: Limits) -> None:
    """Refuse this process more memory than it may have, and let it end with its parent."""
    _limit(resource.RLIMIT_AS, limits.memory)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, SIGKILL, 0, 0, 0)


def confine() -> Confinement:
    """Give up all that reading bytes does not need. What the system cannot refuse, the result names.

    Landlock and seccomp hold for the thread that asks for them, which is the only one if the libraries heed `_ONE_THREAD`.
    """
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_NPROC, 0)
    steps = {"no_new_privs": _no_new_privileges, "Landlock": _files, "seccomp": _calls}
    holds, lacks = ["resource limits"], ["a library without threads"] if _others_run() else []
    for name, step in steps.items():
        try:
            holds.append(step())
        except OSError:
            lacks.append(name)
    return Confinement(tuple(holds), tuple(lacks))


def start_timer(seconds: float) -> None:
    """End this process when the task that begins now has used the processor for so long.

    The parent's deadline comes first; this one holds when the parent was stopped. RLIMIT_CPU would not do: it counts all tasks.
    """
    setitimer(ITIMER_PROF, seconds)


def _limit(kind: int, most: int) -> None:
    hardest = resource.getrlimit(kind)[1]
    value = most if hardest == resource.RLIM_INFINITY else min(most, hardest)
    with suppress(OSError, ValueError):  # macOS has not all of them
        resource.setrlimit(kind, (value, value))


def _others_run() -> bool:
    return sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) > 1


def _no_new_privileges() -> str:
    if sys.platform != "linux" or ctypes.CDLL(None).prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError("prctl")
    return "no_new_privs"


def _files() -> str:
    landlock.allow_only_reading(_places())
    return f"Landlock ABI {landlock.version()}"


def _calls() -> str:
    machine = platform.machine()
    if not seccomp.supported(machine):
        raise OSError("seccomp")
    seccomp.refuse_other_calls(machine)
    return "seccomp"


def _places() -> Iterator[Path]:
    """Where code is: Python, the packages, this program, shared libraries."""
    yield Path(__file__).parents[1]
    for folder in (sys.prefix, sys.base_prefix, *sys.path, *_LIBRARIES, *_TIME_ZONES, *_DEVICES):
        if Path(folder).is_absolute():
            yield Path(folder)

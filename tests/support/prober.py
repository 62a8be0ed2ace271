"""What a child process does that tries to get out: each order is tried, and answered with what came of it."""

from __future__ import annotations

import ctypes
import importlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

BUILDER = "tests.support.prober:answering"


def answering() -> Callable[[bytes], bytes]:
    """Obey one order at a time, as `read /etc/passwd`."""
    return _obey


def unbuildable() -> Callable[[bytes], bytes]:
    raise ValueError("there is nothing to build")


def dead_at_start() -> Callable[[bytes], bytes]:
    os._exit(9)


def _obey(order: bytes) -> bytes:
    verb, _, rest = order.decode().partition(" ")
    try:
        return str(_ORDERS[verb](rest)).encode()
    except (OSError, ImportError, RuntimeError, ValueError) as error:
        return f"refused: {type(error).__name__}".encode()


def _write(path: str) -> None:
    Path(path).write_text("written")


def _connect(address: str) -> str:
    if address.isdigit():
        socket.create_connection(("127.0.0.1", int(address)), timeout=2).close()
    else:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address)
    return "connected"


def _fork(_: str) -> str:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return "forked"


def _exec(_: str) -> None:
    os.execv("/bin/true", ["true"])


def _start_thread(_: str) -> str:
    thread = Thread(target=time.time)
    thread.start()
    return "started"


def _more_memory(_: str) -> str:
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    return "raised"


def _privileged(_: str) -> str:
    """As root, a process may do this even without new privileges, unless the call is refused."""
    if ctypes.CDLL(None, use_errno=True).sethostname(b"x", ctypes.c_size_t(0)) != 0:
        raise OSError(ctypes.get_errno(), "sethostname")
    return "done"


def _spin(_: str) -> None:
    while True:
        pass


_ORDERS: dict[str, Callable[[str], object]] = {
    "echo": str,
    "pid": lambda _: os.getpid(),
    "read": lambda path: Path(path).read_text(),
    "list": os.listdir,
    "write": _write,
    "truncate": lambda path: os.truncate(path, 0),
    "delete": os.unlink,
    "chmod": lambda path: Path(path).chmod(0o777),
    "connect": _connect,
    "listen": lambda _: socket.create_server(("127.0.0.1", 0)),
    "fork": _fork,
    "spawn": lambda _: subprocess.run(["/bin/true"], check=True),
    "exec": _exec,
    "thread": _start_thread,
    "kill": lambda process: os.kill(int(process), signal.SIGTERM),
    "privileged": _privileged,
    "more-memory": _more_memory,
    "import": importlib.import_module,
    "loaded": lambda name: name in sys.modules,
    "print": lambda text: print(text, flush=True),
    "memory": lambda size: len(bytearray(int(size))),
    "answer": lambda size: "x" * int(size),
    "hang": lambda seconds: time.sleep(float(seconds)),
    "spin": _spin,
    "crash": lambda _: os._exit(3),
    "segfault": lambda _: ctypes.string_at(0),
}

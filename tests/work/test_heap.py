"""Threads share the heaps of the C library."""

import subprocess
import sys

import pytest

SCRIPT = """
import ctypes, sys, threading
from tearsheet.work.heap import share_heaps
libc = ctypes.CDLL(None)
share_heaps()
together = threading.Barrier(12)
libc.malloc.restype = ctypes.c_void_p
def allocate():
    together.wait()
    libc.malloc(100_000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fdopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, out)
libc.fflush(out)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_twelve_threads_have_two_heaps_between_them():
    shown = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
    assert 1 <= shown.count("<heap nr=") <= 2

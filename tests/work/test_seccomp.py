"""The filter's verdict on each system call, computed as the kernel computes it, for both kinds of machine."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from tearsheet.work.seccomp import CALLS, OPENINGS, filter_program, supported

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSED, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}
both = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])


def verdict(machine: str, call: int, *arguments: int, architecture: int | None = None) -> int:
    data = struct.pack("=IIQ6Q", call, architecture or ARCHITECTURES[machine], 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    program = [struct.unpack("HBBI", instruction) for instruction in filter_program(machine)]
    at = value = 0
    while True:
        code, then, otherwise, operand = program[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, operand)
        elif code == 0x06:
            return int(operand)
        else:
            true = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[code]
            at += then if true else otherwise


def number(machine: str, name: str) -> int | None:
    return (CALLS | OPENINGS)[name][machine == "aarch64"]


@both
def test_exactly_what_is_listed_is_allowed(machine):
    listed = {number(machine, name) for name in CALLS}
    opening = {number(machine, name) for name in OPENINGS}
    for call in range(600):
        if call not in opening:
            expected = ALLOW if call in listed else UNKNOWN if call >= 424 else REFUSED
            assert verdict(machine, call) == expected, call
    assert verdict(machine, 0x40000000) == UNKNOWN  # the first call of the x32 interface
    assert verdict(machine, 0xFFFFFFFF) == UNKNOWN


@both
def test_files_are_opened_for_reading_only(machine):
    writing = [os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o20200002]
    for name, before in (("open", (0,)), ("openat", (0, 0))):
        call = number(machine, name)
        if call is not None:
            assert verdict(machine, call, *before, 0) == ALLOW
            assert verdict(machine, call, *before, os.O_CLOEXEC | os.O_DIRECTORY) == ALLOW
            for flags in writing:
                assert verdict(machine, call, *before, flags) == REFUSED, oct(flags)


@both
def test_calls_of_another_architecture_end_the_process(machine):
    other = ARCHITECTURES["x86_64" if machine == "aarch64" else "aarch64"]
    assert verdict(machine, 0, architecture=other) == verdict(machine, 63, architecture=0x40000003) == KILL


@both
def test_the_numbers_are_those_of_the_kernel(machine):
    header = next((Path(name) for name in HEADERS[machine] if Path(name).exists()), None)
    if header is None:
        pytest.skip("the headers of the kernel are not installed")
    numbers = {
        name: int(value) for name, value in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    }
    numbers.setdefault("newfstatat", numbers.get("fstatat", -1))
    newest = max(numbers.values())
    for name in CALLS | OPENINGS:
        ours = number(machine, name)
        if ours is None:
            assert name not in numbers
        elif ours <= newest:
            assert ours == numbers[name], name


def test_other_machines_are_not_filtered():
    assert not supported("riscv64")

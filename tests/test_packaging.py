"""What people install: an sdist that builds alone, a wheel with every file, a citation; and `make` says what it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are not worth a dependency

from tearsheet import __version__
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def build(kind: str, source: Path, target: Path) -> Path:
    """Build without isolation: with nothing but what is installed here, so without the network."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    done = subprocess.run(words, cwd=source, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = target.iterdir()
    return built


def test_the_source_distribution_builds_a_wheel_with_every_file_of_the_program(tmp_path):
    packed = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    needed = (
        "CITATION.cff",
        "LICENSE",
        "Makefile",
        "locks/run.txt",
        "locks/dev.txt",
        "tests/conftest.py",
        "docs/README.md",
    )
    assert [name for name in needed if not (source / name).is_file()] == []
    wheel = build("wheel", source, tmp_path / "wheel")
    ours = {
        path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "tearsheet").rglob("*") if path.is_file()
    }
    with zipfile.ZipFile(wheel) as archive_of_wheel:
        names = set(archive_of_wheel.namelist())
    assert {name for name in ours if "__pycache__" not in name} == {name for name in names if ".dist-info/" not in name}
    folder = f"tearsheet-{__version__}.dist-info"
    assert {f"{folder}/METADATA", f"{folder}/entry_points.txt", f"{folder}/licenses/LICENSE"} <= names


def test_the_citation_is_a_valid_one_of_this_version():
    """By the keys that CFF 1.2 requires, and those that it knows for what we say."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited.keys() <= {*"cff-version message title authors abstract type version license keywords".split()}
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["authors"] == PROJECT["authors"] and cited["keywords"] == PROJECT["keywords"]


def fake_python(folder: Path, version: str, *, venv: bool = True) -> str:
    """A program that answers as a Python of this version would."""
    path = folder / "python-of-the-user"
    path.write_text(
        f"""#!/bin/sh
case "$2" in
*venv*) exit {0 if venv else 1} ;;
*print*) echo {version} ;;
*exit*) [ "{version}" != 3.10 ] ;;
esac
"""
    )
    path.chmod(0o755)
    return str(path)


def make(folder: Path, python: str, path: str = "") -> str:
    """What `make run` says that has nothing of its own yet."""
    words = ["make", "-s", "run", f"PYTHON={python}", f"VENV={folder}/venv"]
    environment = {"PATH": f"{path}:/usr/bin:/bin" if path else "/usr/bin:/bin"}
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2 and not (folder / "venv").exists()
    told, *rest = done.stderr.splitlines()
    assert all(line.startswith("make: ***") for line in rest), rest
    return told


def programs(folder: Path, works: str = "") -> str:
    """A folder of programs: newer Pythons, of which one works, or none."""
    (folder / "bin").mkdir()
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        (folder / "bin" / name).write_text(f"#!/bin/sh\nexit {int(name != works)}\n")
        (folder / "bin" / name).chmod(0o755)
    return str(folder / "bin")


@pytest.mark.skipif(not Path("/usr/bin/make").exists(), reason="make is elsewhere")
def test_make_says_what_it_lacks_and_what_to_type(tmp_path):
    bin_ = programs(tmp_path, "python3.13")
    advice = "and 3.11 or later is needed; type: make run PYTHON=python3.13"
    assert make(tmp_path, "python-nowhere", bin_) == f"tearsheet: there is no Python as 'python-nowhere', {advice}"
    old = fake_python(tmp_path, "3.10")
    assert make(tmp_path, old, bin_) == f"tearsheet: '{old}' is Python 3.10, {advice}"
    bare = fake_python(tmp_path, "3.12", venv=False)
    told = make(tmp_path, bare, bin_)
    assert told.startswith(f"tearsheet: '{bare}' lacks the module venv: install it")
    assert "apt install python3.12-venv" in told and told.endswith("type again: make run")


def test_without_a_newer_python_it_says_how_to_get_one(tmp_path):
    path = programs(tmp_path)
    words = ["/bin/sh", str(ROOT / "tools" / "check_python.sh"), "nowhere", "test"]
    environment = {"PATH": f"{path}{os.pathsep}/bin"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "install one (Debian, Ubuntu: apt install" in done.stderr and "make test PYTHON=" in done.stderr


def test_the_page_on_installing_names_every_extra():
    page = (ROOT / "docs/how-to/install.md").read_text("utf-8")
    table = page.partition("| extra | for |")[2].partition("\n\n")[0]
    assert {name for name in PROJECT["optional-dependencies"] if f"`{name}`" not in table} == set()

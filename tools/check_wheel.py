"""Build the package, install the wheel in a clean environment outside the repository, and use it there: `make test-wheel`.

The build needs no network: its tools are locked and in `.venv`. What is installed are the versions of the lock, from uv's cache
where it has them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.prefix) / "bin" / "uv"
FOR_NOTEBOOKS = ("nbclient", "ipykernel", "matplotlib", "networkx")
NEEDED_IN_SDIST = ("pyproject.toml", "README.md", "LICENSE", "src/tearsheet/__init__.pyi", "src/tearsheet/py.typed")


def run(*command: str | Path, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)  # type: ignore[call-overload]  # passed on


def build(folder: Path) -> Path:
    """Build the sdist, and the wheel from what is in the sdist; returns the wheel."""
    options = "--quiet --offline --no-build-isolation --python".split()
    run(UV, "build", *options, sys.executable, "--out-dir", folder, ROOT)
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert not set(NEEDED_IN_SDIST) - names, set(NEEDED_IN_SDIST) - names
    with zipfile.ZipFile(wheel) as archive:
        packages = {name.partition("/")[0] for name in archive.namelist()}
    assert packages == {"tearsheet", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}, packages
    return wheel


def install(wheel: Path, environment: Path) -> Path:
    """A clean environment with the wheel, its extra for data frames, and what notebooks need; returns its interpreter."""
    run(UV, "venv", "--quiet", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    wanted = (f"tearsheet[pandas] @ {wheel.as_uri()}", *FOR_NOTEBOOKS)
    locked = ROOT / "locks" / "dev.txt"
    command = (UV, "pip", "install", "--quiet", "--python", python, "--constraint", locked, *wanted)
    try:
        run(*command, "--offline", stderr=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        run(*command)  # something is not in the cache
    return python


def main() -> None:
    os.environ.pop("UV_COMPILE_BYTECODE", None)  # an environment that is used once is not worth it
    with tempfile.TemporaryDirectory(prefix="tearsheet-wheel-") as temporary:
        folder = Path(temporary)
        wheel = build(folder / "dist")
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes", flush=True)
        python = install(wheel, folder / "env")
        work = folder / "work"
        work.mkdir()
        for source in ("docs/notebooks", "tools/wheel_smoke.py"):
            target = folder / Path(source).name
            shutil.copytree(ROOT / source, target) if (ROOT / source).is_dir() else shutil.copy(ROOT / source, target)
        version = wheel.name.split("-")[1]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TEARSHEET_"))}
        run(
            python,
            "-P",
            folder / "wheel_smoke.py",
            folder / "notebooks",
            version,
            cwd=work,
            env=clean | {"HOME": str(folder)},
        )
    print("the wheel works in a clean environment")


if __name__ == "__main__":
    main()

"""`tearsheet --version` says what is installed, soon."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version

from packaging.requirements import Requirement

from tearsheet import __version__
from tearsheet.cli.versions import ENGINES, installed_versions, version_lines
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE
from tests.support.tearsheet_command import in_process


def test_the_versions_are_those_that_are_installed(tmp_path):
    done = in_process("--version", data=tmp_path)
    assert done.exit_code == 0 and done.stdout.splitlines()[0] == f"tearsheet {__version__}"
    told = " ".join(done.stdout.split())
    assert re.search(r"Python 3\.\d+\.\d+\S*, SQLite 3\.[\d.]+, libcurl \d[\d.]+\S*, \S+ [\d.]+\S*, on \w+ \w+ ", told)
    for name in ENGINES:
        assert f"{name} {version(name)}" in told


def test_every_engine_is_a_requirement_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    assert set(ENGINES) <= {Requirement(line).name for line in lines}


def test_what_is_not_installed_is_left_out_and_the_first_of_two_counts(tmp_path):
    for folder, name in (("a", "Aio_Pika-9.5.0"), ("b", "aio_pika-9.4.0"), ("b", "tantivy-0.27.0")):
        (tmp_path / folder / f"{name}.dist-info").mkdir(parents=True)
    path = [str(tmp_path / folder) for folder in ("a", "missing", "b")]
    assert installed_versions(path) == {"aio-pika": "9.5.0", "tantivy": "0.27.0"}
    assert list(version_lines(path))[2:] == ["tantivy 0.27.0, aio-pika 9.5.0"]


def test_the_engines_need_not_be_imported_for_it():
    code = "import sys\nfrom tearsheet.cli.versions import version_lines\nlist(version_lines())\nprint(*sys.modules)"
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert not {"tantivy", "sqlalchemy", "lxml", "numpy", "fastapi", "importlib.metadata"} & set(done.stdout.split())

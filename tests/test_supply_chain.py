"""What others wrote and we use is locked by its digest: packages, scripts, the steps of the checks, the downloads of servers."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tools.sbom import LOCKS, bill, digests_of, normalised, vendored

from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RUN, DEV = digests_of(LOCKS / "run.txt"), digests_of(LOCKS / "dev.txt")
STATIC = ROOT / "src" / "tearsheet" / "web" / "static"
OWN = {"icon.svg", "live.js", "style.css"}
"""The files for browsers that we wrote ourselves. What others wrote stands in `locks/vendored.csv`."""
NO_PACKAGES = {"tearsheet", "pip", "setuptools"}
"""In an environment though no lock names them: ourselves, and what `python -m venv` brings."""


@pytest.mark.parametrize("name", ["run.txt", "dev.txt"])
def test_every_package_of_a_lock_has_digests_and_comes_from_nowhere_in_particular(name):
    text = (LOCKS / name).read_text("utf-8")
    named = re.findall(r"^(?!#|    --hash=)(.*)$", text, re.MULTILINE)
    locked = digests_of(LOCKS / name)
    assert len(locked) == len([line for line in named if line])
    assert all(locked.values())
    assert not re.search(r"://|@ |^-|index-url|find-links", "\n".join(named), re.MULTILINE)


def test_the_locks_agree():
    assert RUN.items() <= DEV.items()


def required(lines: Iterable[object]) -> set[str]:
    return {normalised(Requirement(line).name) for line in lines if isinstance(line, str)}


def test_the_locks_have_all_that_the_project_asks_for():
    extras, groups = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
    assert required([*PROJECT["project"]["dependencies"], *groups["make"]]) <= {name for name, _ in RUN}
    wanted = required(line for lines in (*extras.values(), *groups.values()) for line in lines)
    assert wanted - {"tearsheet"} <= {name for name, _ in DEV}


def test_what_is_installed_is_what_is_locked():
    installed = {(normalised(package.name), package.version) for package in distributions()}
    assert {key for key in installed - DEV.keys() if key[0] not in NO_PACKAGES} == set()


def test_nothing_is_installed_unchecked():
    """Every installation by `make`, which the checks of a change use, is by digest, or of this package alone."""
    steps = re.findall(r"^\t.*(?:pip install|\$\(INSTALL\)).*$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert len(steps) == 4
    assert [
        step for step in steps if "--require-hashes" not in step and "--no-deps --no-build-isolation -e ." not in step
    ] == []
    checks = (ROOT / ".github" / "workflows" / "checks.yaml").read_text("utf-8")
    assert "pip" not in checks
    used = re.findall(r"uses: (\S+)", checks)
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)


def test_the_way_of_the_readme_without_make_is_that_of_make():
    """The same lock, by digest, what builds the package from it, and the tests that `make test` chooses."""
    by_hand = (ROOT / "README.md").read_text("utf-8").partition("Without `make`")[2].partition("```sh\n")[2]
    lines = by_hand.partition("```")[0].splitlines()
    made = (ROOT / "Makefile").read_text("utf-8")
    chosen = re.search(r'^test: .*\n\t@\$\(TESTS\) (-m ".*" tests)$', made, re.MULTILINE)
    assert chosen and [line for line in lines if "pytest" in line and line.endswith(chosen[1])]
    installing = " ".join(lines)
    for flags in ("--require-hashes --no-deps -r locks/dev.txt", "--no-deps --no-build-isolation -e ."):
        assert f".venv/bin/pip install {flags}" in installing
    build_tools = required([*PROJECT["build-system"]["requires"], "editables"])
    assert build_tools <= {name for name, _ in DEV}, "nothing else is there to build with"


def strangers(folder: Path, own: set[str], table: list[dict[str, str]]) -> set[str]:
    """The files that nobody wrote into the table, or that are not those of the table."""
    digests = {row["file"]: row["sha256"] for row in table}
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    unknown = files.keys() - own - digests.keys()
    altered = {
        name
        for name, digest in digests.items()
        if name not in files or hashlib.sha256(files[name].read_bytes()).hexdigest() != digest
    }
    return unknown | altered


def test_files_for_browsers_are_our_own_or_as_their_authors_published_them():
    assert strangers(STATIC, OWN, vendored()) == set()
    assert all(row["name"] and row["version"] and row["licence"] for row in vendored())


def test_an_unlisted_an_altered_and_a_missing_file_are_found(tmp_path):
    (tmp_path / "own.js").write_bytes(b"ours")
    (tmp_path / "lib.js").write_bytes(b"theirs")
    table = [{"file": "lib.js", "sha256": hashlib.sha256(b"theirs").hexdigest()}]
    assert strangers(tmp_path, {"own.js"}, table) == set()
    (tmp_path / "lib.js").write_bytes(b"theirs, improved")
    (tmp_path / "new.js").write_bytes(b"?")
    assert strangers(tmp_path, {"own.js"}, [*table, {"file": "gone.js", "sha256": "0"}]) == {
        "lib.js",
        "new.js",
        "gone.js",
    }


def test_the_bill_of_materials_is_valid_and_complete():
    made = bill()
    # Imported here, because it takes seconds that every test process would spend while it collects tests.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(made)) is None
    parts = {part["name"]: part for part in made["components"]}
    installed = {normalised(package.name) for package in distributions()} - NO_PACKAGES
    assert installed <= parts.keys()
    assert [name for name, part in parts.items() if not part["hashes"]] == []
    assert [name for name, part in parts.items() if part["scope"] == "required" and not part["licenses"]] == []
    assert parts["fastapi"]["licenses"] == [{"expression": "MIT"}]


DOWNLOADS = re.compile(r"\b(?:npm pack|maven_libs|curl -\S*O|wget)\b")


@pytest.mark.parametrize("script", ["browser", "kafka", "opensearch"])
def test_what_a_test_server_is_made_of_is_checked_by_its_digest(script):
    text = (ROOT / "engines" / script).read_text("utf-8")
    assert re.search(r"^digest=[0-9a-f]{64}$", text, re.MULTILINE)
    assert DOWNLOADS.search(text) and re.search(r'(?:same_bytes|maven_libs) "\$digest"', text)


def test_every_other_download_is_checked_by_the_tool_that_makes_it():
    """apt by its signatures, Go by its database of sums, Maven by the sums of its repository, which must be there."""
    for script in ("elasticsearch", "postgresql", "rabbitmq", "s3"):
        assert not DOWNLOADS.search((ROOT / "engines" / script).read_text("utf-8"))
    for path in (ROOT / "engines").iterdir():
        for line in re.findall(r"^.*\bmvn -.*$", path.read_text("utf-8"), re.MULTILINE):
            assert " -C " in line, f"{path.name}: {line.strip()}"

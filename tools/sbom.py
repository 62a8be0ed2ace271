"""Write a software bill of materials: every installed package and every script of others that we ship, as CycloneDX 1.6 in JSON.

    python -m tools.sbom [FILE]

`uv export` knows the digests but no licences, and names what might be installed; `cyclonedx-py` knows the licences but no digests.
This joins what is installed here with the digests of the lock, one of which each package was checked against when it was installed.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "locks"
VENDORED = LOCKS / "vendored.csv"
"""The files in the package that others wrote: where each is, what it is, and its digest."""
_ENTRY = re.compile(r"^([a-z0-9.-]+)==([^\s;]+)(?:(?!^[a-z]).)*", re.MULTILINE | re.DOTALL)
_DIGEST = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_MAX_LICENCE = 100
"""Characters; what is longer is the text of a licence instead of its name."""


def digests_of(lock: Path) -> dict[tuple[str, str], list[str]]:
    """The SHA-256 of the files of each package in a lock, by its name and version."""
    entries = _ENTRY.finditer(lock.read_text("utf-8"))
    return {(entry[1], entry[2]): _DIGEST.findall(entry[0]) for entry in entries}


def normalised(name: str) -> str:
    """A package's name as locks spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licences_of(package: Distribution) -> list[dict[str, Any]]:
    """The licence that a package states: as an expression, by its classifiers, or in its own words."""
    about = package.metadata.json
    if expression := about.get("license_expression"):
        return [{"expression": expression}]
    classified = [line.rpartition(" :: ")[2] for line in about.get("classifier", []) if line.startswith("License ::")]
    own = str(about.get("license", "")).strip()
    names = classified or ([own] if own and len(own) <= _MAX_LICENCE and "\n" not in own else [])
    return [{"license": {"name": name}} for name in names]


def vendored() -> list[dict[str, str]]:
    """The table of the files that others wrote."""
    with VENDORED.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _packages() -> Iterator[dict[str, Any]]:
    needed, locked = digests_of(LOCKS / "run.txt"), digests_of(LOCKS / "dev.txt")
    installed = {(normalised(package.name), package.version): package for package in distributions()}
    for key in sorted(installed.keys() & locked.keys()):
        name, number = key
        purl = f"pkg:pypi/{name}@{number}"
        yield {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": number,
            "scope": "required" if key in needed else "optional",
            "hashes": [{"alg": "SHA-256", "content": digest} for digest in locked[key]],
            "licenses": licences_of(installed[key]),
            "purl": purl,
        }


def _files() -> Iterator[dict[str, Any]]:
    for row in vendored():
        yield {
            "type": "file",
            "bom-ref": row["file"],
            "name": row["name"],
            "version": row["version"],
            "scope": "required",
            "hashes": [{"alg": "SHA-256", "content": row["sha256"]}],
            "licenses": [{"license": {"name": row["licence"]}}],
        }


def bill() -> dict[str, Any]:
    """The bill of materials of this environment."""
    ours = {"type": "application", "bom-ref": "tearsheet", "name": "tearsheet", "version": version("tearsheet")}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.now(UTC).isoformat(timespec="seconds"),
            "component": ours | {"licenses": [{"license": {"id": "Apache-2.0"}}]},
        },
        "components": [*_packages(), *_files()],
    }


def main(target: Path) -> None:
    made = bill()
    target.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{target}: {len(made['components'])} components")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "sbom.json"))

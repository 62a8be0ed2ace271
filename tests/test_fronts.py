"""The front of each package: what it lists can be imported, and is there because somebody else uses it."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.source_trees import source_trees

SOURCE = ROOT / "src"
FRONTS = sorted(
    ".".join(path.parent.relative_to(SOURCE).parts) for path in (SOURCE / "tearsheet").rglob("__init__.pyi")
)

PUBLIC = {
    "tearsheet": set("capture discover_feeds errors extract_article open parse_feed parse_query read_archive".split()),
    "tearsheet.archive": {"StoryArchiveReader", "StoryArchiveWriter"},
    "tearsheet.extract": {"Document", "Link", "extract"},
    "tearsheet.feeds": {"Enclosure", "Entry", "FeedError", "ParsedFeed", "next_fetch", "parse_feed"},
    "tearsheet.ingest": {"IngestWebResult", "ingest_html"},
    "tearsheet.pagestore": {"CaptureInfo", "PageStore"},
    "tearsheet.query": {"Query", "parse_query"},
    "tearsheet.story": {"ContentMetadata", "HTTPMetadata", "RSSEntry", "RawHTML", "Story"},
    "tearsheet.topics": {"MinedLink", "TitledStory", "mine_links", "same_story"},
    "tearsheet.urls": {"canonical_domain", "is_homepage", "normalize_url", "surt", "url_hash"},
}
"""Names that programs of others build on, with the types of what they take and give. They stay, used here or not."""


def listed(front: str) -> set[str]:
    """The names in a package's `__init__.pyi`."""
    tree = ast.parse((SOURCE / Path(*front.split(".")) / "__init__.pyi").read_text("utf-8"))
    return {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


@cache
def uses() -> set[tuple[str, str, str]]:
    """Each `from PACKAGE import NAME` and `PACKAGE.NAME` of the sources, whatever PACKAGE is called there: who, package, name."""
    found = set()
    for path, tree in source_trees().items():
        user = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        called = {
            alias.asname or alias.name: f"{node.module}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
            if f"{node.module}.{alias.name}" in FRONTS
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in called:
                found.add((user, called[node.value.id], node.attr))
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found |= {(user, node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Attribute) and (dotted := ast.unparse(node)).startswith("tearsheet."):
                package, _, name = dotted.rpartition(".")
                found.add((user, package, name))
    return found


@pytest.mark.parametrize("front", FRONTS)
def test_every_listed_name_can_be_imported(front: str):
    package = import_module(front)
    for name in listed(front):
        assert getattr(package, name, None) is not None, f"{front} lists {name}, which is not there"


@pytest.mark.parametrize("front", FRONTS)
def test_every_listed_name_is_used_by_another_package(front: str):
    used = {name for user, package, name in uses() if package == front and not user.startswith(f"{front}.")}
    idle = listed(front) - used - PUBLIC.get(front, set())
    assert not idle, f"no other package uses {', '.join(sorted(idle))}: remove it from {front}'s __init__.pyi"


@pytest.mark.parametrize("place", sorted(PUBLIC))
def test_names_that_others_build_on_stay(place: str):
    module = import_module(place)
    assert {name for name in PUBLIC[place] if not hasattr(module, name)} == set()


def test_a_front_is_imported_without_what_is_behind_it():
    """Fronts are lazy: looking at one costs no engine, no index and no parser."""
    code = f"import sys\nfor front in {FRONTS!r}: __import__(front)\nprint(*[m for m in sys.modules if m.startswith('tearsheet.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    parents = {".".join(front.split(".")[:n]) for front in FRONTS for n in range(1, 5)}
    assert set(done.stdout.split()) <= parents

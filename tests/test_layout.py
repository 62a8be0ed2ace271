"""Where tests stand: a folder for each package, and in it `test_<module>.py` for each module that has rules to test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.source_trees import tree_of

TESTS = ROOT / "tests"
SOURCES = {"": ROOT / "src" / "tearsheet", "bench": ROOT / "bench"}
"""What is mirrored: the package at the top, the benchmarks in a folder of their own."""

ASKING = {f"httpx.{name}" for name in ("get", "post", "put", "delete", "request", "stream", "Client", "AsyncClient")}

BESIDE = {
    "acceptance": "the command as a user types it",
    "browser": "the web pages in a real browser",
    "docs": "what the documentation says",
    "support": "what tests share",
}

ACROSS = {
    "test_child_processes": "every place that starts a Python process",
    "test_foreign_bytes": "who reads what strangers send, and where",
    "test_foreign_readers": "every reader of bytes that strangers made, side by side",
    "test_fronts": "the names that each package lists for others",
    "test_guards": "what the guards of conftest.py refuse",
    "test_layout": "this",
    "test_other_systems": "every module, on systems that lack what POSIX has",
    "test_packaging": "what people install, and what `make` needs to begin",
    "test_library": "what `import tearsheet` offers to programs",
    "test_sizes": "how long modules and functions are",
    "test_supply_chain": "what others wrote: locks, vendored files, the bill of materials",
    "cli/test_numbers": "every option of every command that takes a number",
    "app/test_layer": "that commands and pages reach engines through app alone",
    "archive/test_kill": "archiver, outbox and uploader, killed together",
    "archive/test_third_party": "warcio, pywb and cdxj-indexer read our files",
    "backup/test_kill": "a pipeline, its backups and restores, killed",
    "cli/test_files_read": "every command that reads files",
    "cli/test_commands": "every module of the package, and what importing it costs",
    "engines/blobs/test_contract": "every adapter of the port",
    "engines/broker/test_contract": "every adapter of the port",
    "engines/database/test_contract": "every adapter of the port",
    "engines/events/test_contract": "every adapter of the port",
    "engines/index/test_contract": "every adapter of the port",
    "engines/index/test_query_agreement": "every adapter of the port finds the same stories",
    "engines/test_compose_file": "engines/compose.yaml beside the scripts",
    "engines/test_embedded_kill": "the embedded engines, killed",
    "engines/test_server_trouble": "every server, away or slow",
    "feeds/test_stores": "every store of feeds, and that SQL stands nowhere else",
    "ingest/test_engines": "the ingest on the large engines",
    "ingest/test_service": "the ingest from request to tables, texts, messages and captures",
    "lexicon/test_lexicon": "every table of names, each once",
    "query/test_docs": "the page that describes the language",
    "topics/spider/test_in_time": "a whole run among dead, slow and refusing links",
    "topics/spider/test_kill": "a whole run, killed",
    "topics/spider/test_large_engines": "a whole run on the large engines",
    "topics/spider/test_seeding": "a whole run that starts from posts",
    "topics/spider/test_side_by_side": "two runs at once",
    "topics/spider/test_simulated_web": "a whole run on a web whose truth is known",
    "topics/spider/test_wide_web": "a whole run on a web of platforms, wrappers, copies and traps",
    "web/test_mediacloud_client": "the official client of Media Cloud against ours",
    "web/test_slow_queries": "every search that the server offers, when it takes too long",
}
"""Tests of no one module, and what they are about instead."""


def files_of_tests() -> list[str]:
    found = sorted(path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    return [path.with_suffix("").as_posix() for path in found if path.parts[0] not in BESIDE]


def modules_beside(test: str) -> set[str]:
    """The modules of the package that the test's folder mirrors."""
    folder = Path(test).parent
    top = folder.parts[0] if folder.parts and folder.parts[0] in SOURCES else ""
    package = SOURCES[top] / folder.relative_to(top)
    return {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/__init__.py")}


def is_named_after_a_module(test: str) -> bool:
    """`test_fetcher`, or `test_fetcher_outcomes` for one side of it."""
    words = Path(test).name.removeprefix("test_").split("_")
    return any("_".join(words[:count]) in modules_beside(test) for count in range(len(words), 0, -1))


@pytest.mark.parametrize("test", [test for test in files_of_tests() if test not in ACROSS])
def test_a_test_is_found_by_the_name_of_its_module(test: str):
    assert is_named_after_a_module(test), (
        f"tests/{test}.py: name it after the module that it tests, or say in ACROSS what it is about"
    )


def test_every_folder_mirrors_a_package():
    for folder in TESTS.rglob("__init__.py"):
        name = folder.parent.relative_to(TESTS)
        if name.parts and name.parts[0] not in BESIDE and name.parts[0] not in SOURCES:
            assert (SOURCES[""] / name).is_dir(), f"tests/{name} mirrors no package"


def test_the_table_names_tests_that_exist():
    assert set(ACROSS) <= set(files_of_tests())
    assert all((TESTS / name).is_dir() for name in BESIDE)


def test_helpers_stand_in_support():
    """Shared code between test files is in support/, so that a test can be moved without breaking another."""
    for path in TESTS.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            assert not line.startswith("from tests.") or line.startswith("from tests.support."), f"{path}: {line}"


def test_every_request_says_how_long_it_waits():
    """The five seconds that httpx waits by default are too few while everything else on the machine works too."""
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ASKING:
                given = {keyword.arg for keyword in node.keywords}
                assert given & {"timeout", "transport", None}, f"{path}:{node.lineno}"


def test_a_wrong_name_would_be_seen():
    assert is_named_after_a_module("fetch/test_client_tls")
    assert not is_named_after_a_module("fetch/test_parts")
    assert not is_named_after_a_module("bench/test_client")

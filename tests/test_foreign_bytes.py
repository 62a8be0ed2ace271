"""What strangers send is read in processes of its own, or in time that is known: who may read it, and where."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tearsheet.work import ReadingJob
from tests.support.source_trees import SOURCE, source_trees

PARSERS = frozenset(
    """
    lxml selectolax html5lib bs4 feedparser xml html.parser isal deflate zlib gzip bz2 lzma brotli brotlicffi zstandard zipfile
    tarfile csv fastwarc warcio yaml pickle
    """.split()
)
"""Libraries that read formats."""
JOB = "in processes: only reading jobs and the parser stage call it"
OWN = "reads or writes what we wrote ourselves"
FILE = "in a thread, or a command: reads files that the user names"
STEADY = "in time that grows with a bounded input, as its tests show"
READERS = {
    "archive/members.py": STEADY,
    "archive/records.py": OWN,
    "archive/wacz.py": OWN,
    "archive/wacz_parts.py": FILE,
    "backup/objects.py": STEADY,
    "demo/faults.py": OWN,
    "demo/feed_formats.py": OWN,
    "demo/wire.py": OWN,
    "engines/index/story_store.py": OWN,
    "extract/authors.py": JOB,
    "extract/blocks.py": JOB,
    "extract/dates.py": JOB,
    "extract/guard.py": JOB,
    "extract/head.py": JOB,
    "extract/model.py": OWN,
    "feeds/catalogue/csv_lists.py": FILE,
    "feeds/catalogue/opml.py": FILE,
    "feeds/formats/entry_parts.py": JOB,
    "feeds/formats/parse.py": JOB,
    "feeds/formats/relative_links.py": JOB,
    "feeds/formats/self_links.py": JOB,
    "feeds/formats/sitemap.py": JOB,
    "feeds/formats/soup.py": JOB,
    "feeds/formats/xml_feed.py": JOB,
    "feeds/formats/xml_text.py": JOB,
    "feeds/polling/daily_rss.py": OWN,
    "feeds/polling/document_store.py": OWN,
    "fetch/inflating.py": STEADY,
    "fetch/store.py": OWN,
    "ingest/fulltext_links.py": JOB,
    "ingest/replay.py": JOB,
    "ingest/resources.py": JOB,
    "ingest/tei.py": JOB,
    "pipeline/hist_fetcher.py": FILE,
    "pipeline/queuers/csv_rows.py": FILE,
    "pipeline/queuers/daily_rss.py": FILE,
    "pipeline/queuers/inputs.py": FILE,
    "pipeline/queuers/queuer.py": FILE,
    "story.py": OWN,
    "tables.py": FILE,
    "topics/methods/record_store.py": OWN,
    "topics/snapshot/erasing.py": OWN,
    "topics/snapshot/store.py": OWN,
    "topics/spider/links.py": JOB,
    "topics/spider/stores/merges.py": OWN,
    "topics/spider/stores/unarchived.py": OWN,
    "topics/spider/stores/web_stories.py": OWN,
    "topics/texts.py": OWN,
}
"""Every module that imports one of them, and why it may."""

JOBS = {
    "app.library.reading": {"read_article", "read_given_feed"},
    "app.showing": {"show_capture"},
    "feeds.catalogue.discovery": {"read_feed_summary", "read_robots", "read_site_page"},
    "feeds.polling.reading": {"read_feed", "read_part", "sift"},
    "ingest.reading": {"read_page", "read_sheet"},
    "ingest.replay": {"show_document"},
    "topics.spider.reading": {"read_linked_page", "read_links"},
}
"""Every reading job, by its module."""
SHOWN = ("app.showing", "ingest.replay")
"""What answers with whole pages, and what is in them: in processes of their own, with a limit of their own."""

READING = frozenset(
    """
    Document LexborHTMLParser as_utf8 content_metadata css_addresses css_references extract
    feed_candidates generate_story html_biblio html_body make_inert mine_links page_references parse_feed parse_feed_list
    read_feed_list read_opml read_xml rewrite_css robots_sitemaps self_contained sheet_references sheet_text unzip
    """.split()
) | {name for names in JOBS.values() for name in names}
"""Functions that read what strangers send."""


def trees() -> dict[str, ast.Module]:
    return {path.relative_to(SOURCE).as_posix(): tree for path, tree in source_trees().items()}


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_a_module_that_reads_formats_says_where_it_runs() -> None:
    found = {
        path
        for path, tree in trees().items()
        for name in imported(tree)
        if not name.startswith("xml.sax.saxutils") and (name.partition(".")[0] in PARSERS or name in PARSERS)
    }
    assert found == set(READERS), (
        "read what strangers send in a reading job (work/reading.py), and list the module here"
    )


def made_jobs(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ReadingJob":
            yield ast.unparse(node.args[0])


def test_every_reading_job_is_listed() -> None:
    found = {path.removesuffix(".py").replace("/", "."): set(made_jobs(tree)) for path, tree in trees().items()}
    assert {module: names for module, names in found.items() if names} == JOBS


@pytest.mark.parametrize("module", sorted(JOBS))
def test_a_reading_job_takes_one_value_and_has_limits(module: str) -> None:
    loaded = import_module(f"tearsheet.{module}")
    jobs = [value for value in vars(loaded).values() if isinstance(value, ReadingJob)]
    assert {job.function.__name__ for job in jobs} == JOBS[module]
    for job in jobs:
        assert job.path == f"tearsheet.{module}:{job.function.__name__}"
        assert len(typing.get_type_hints(job.function)) == 2, "one argument and a result, both with a type"
        assert job.max_answer <= (256 << 20 if module in SHOWN else 64_000_000) and (
            job.seconds is None or job.seconds <= 30
        )


def own_calls(function: ast.AST) -> Iterator[str]:
    """The names of what a function itself calls; not what it hands to a thread, nor what functions inside it do."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        waiting += ast.iter_child_nodes(node)


def reached(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What the coroutines of a module call, with the functions of the module that they call on the way."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for coroutine in (node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)):
        seen: set[str] = set()
        waiting = list(own_calls(coroutine))
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                yield coroutine.name, name
                waiting += own_calls(functions[name]) if name in functions else ()


def test_no_coroutine_reads_what_strangers_send() -> None:
    found = {
        f"{path}: {coroutine} calls {name}"
        for path, tree in trees().items()
        for coroutine, name in reached(tree)
        if name in READING
    }
    assert not found, "hand it to a reader, or to a thread if its time is known to be short"


def test_the_guard_sees_a_coroutine_that_reads() -> None:
    tree = ast.parse(
        """
        def helper(body): return Document(body)
        async def bad(body): return helper(body)
        async def good(body): return await to_thread(helper, body)
        """.replace("\n        ", "\n")
    )
    assert ("bad", "Document") in set(reached(tree)) and ("good", "Document") not in set(reached(tree))


def test_this_list_names_functions_that_are_there() -> None:
    defined = {
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert READING - defined <= {"LexborHTMLParser"}
    assert all(Path(SOURCE / path).is_file() for path in READERS)

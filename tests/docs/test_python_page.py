"""Every example of the Python reference and of its how-to page is run, and shows what the page shows."""

from __future__ import annotations

import doctest
import re
import tempfile
from pathlib import Path

import pytest

from tests.support.library_folder import herald, make_folder
from tests.support.paths import ROOT

PAGES = ["reference/python.md", "how-to/use-from-python.md"]
_BLOCK = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(page: str) -> str:
    """The sessions of a page, one after another."""
    return "\n".join(_BLOCK.findall((ROOT / "docs" / page).read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES)
def test_every_example_shows_what_the_page_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    make_folder(tmp_path / "tearsheet-data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    session = doctest.DocTestParser().get_doctest(examples(page), {}, page, page, 0)
    assert len(session.examples) > 5
    with herald(monkeypatch):
        runner = doctest.DocTestRunner(verbose=False)
        told: list[str] = []
        runner.run(session, out=told.append, clear_globs=False)
    if "collection" in session.globs:
        session.globs["collection"].close()
    assert runner.failures == 0, "".join(told)

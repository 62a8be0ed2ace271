"""The notebooks run from their first cell to their last; `make test-wheel` runs them on an installed wheel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.wheel_smoke import make_demo, run_notebook

from tests.support.paths import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_it_showed(path: Path):
    notebook = json.loads(path.read_bytes())
    assert notebook["nbformat"] == 4
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 3 and not any(cell["outputs"] or cell["execution_count"] for cell in code)
    for cell in code:
        compile("".join(cell["source"]), path.name, "exec")


@pytest.mark.proof
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_format_of_notebooks(path: Path):
    import nbformat  # takes seconds: every test process would spend them while it looks for tests

    nbformat.validate(nbformat.read(path, as_version=4))


def test_the_how_to_page_names_them_all():
    page = (ROOT / "docs" / "how-to" / "use-from-python.md").read_text("utf-8")
    assert len(NOTEBOOKS) == 3 and all(f"notebooks/{path.name})" in page for path in NOTEBOOKS)


@pytest.mark.slow
def test_every_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("TEARSHEET_DATA", raising=False)
    make_demo(tmp_path)
    for path in NOTEBOOKS:
        run_notebook(path, tmp_path)

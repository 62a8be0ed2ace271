"""What an installed wheel must be able to do, run by the environment that it was installed in: see `make test-wheel`.

`python wheel_smoke.py NOTEBOOKS VERSION` in an empty folder that is not in the repository.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path

PAGE = "<title>Ferry returns</title><h1>Ferry returns</h1>" + "<p>The ferry to the island runs again.</p>" * 9
FEED = "<rss version='2.0'><channel><title>Herald</title><item><link>/ferry</link></item></channel></rss>"
CELL_SECONDS, DEMO_SECONDS = 120, 600
"""How long is waited for, on a machine on which everything else runs too."""


def run_notebook(path: Path, folder: Path) -> None:
    """Run a notebook from its first cell to its last, as if it lay in a folder. Raises CellExecutionError."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]  # it has no types
    NotebookClient(notebook, timeout=CELL_SECONDS, resources={"metadata": {"path": str(folder)}}).execute()


def make_demo(folder: Path, articles: int = 60) -> None:
    """The demo's collection and topic in `tearsheet-data` of a folder."""
    options = ["--once", "--no-web", "--articles", str(articles)]
    command = [sys.executable, "-P", "-m", "tearsheet", "--quiet", "demo", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=DEMO_SECONDS)
    assert done.returncode == 0, done.stderr


def check_front() -> None:
    """Each function of the front does something."""
    import tearsheet

    assert Path(tearsheet.__file__).is_relative_to(sys.prefix), f"{tearsheet.__file__} is not what was installed"
    assert (Path(tearsheet.__file__).parent / "py.typed").exists()
    assert tearsheet.extract_article(PAGE).language == "en"
    assert tearsheet.extract_article(PAGE, confined=True).article_title == "Ferry returns"
    assert tearsheet.parse_feed(FEED, "https://a.example/").entries[0].link == "https://a.example/ferry"
    assert tearsheet.discover_feeds("https://a.example/", FEED)[0].title == "Herald"
    assert tearsheet.parse_query("climate").matches(title="Climate")
    assert tearsheet.capture("ftp://nowhere.example/").status == "invalid-url"
    with tearsheet.open("tearsheet-data/demo") as collection:
        story = collection.story(next(collection.search("*", limit=1)))
        assert story.proof is not None and collection.capture(story).sha256 == story.proof.sha256
        assert collection.topics["corvane bridge"].media().to_arrow().num_rows > 2
    assert sum(1 for _ in tearsheet.read_archive("tearsheet-data/demo/archive")) > 20


def check_command(version: str) -> None:
    """The command is installed, and says which version it is."""
    command = Path(sys.prefix) / "bin" / "tearsheet"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True, timeout=CELL_SECONDS)
    assert version in done.stdout, done.stdout
    assert importlib.metadata.version("tearsheet") == version


def main(notebooks: str, version: str) -> None:
    def step(name: str, begun: float) -> None:
        print(f"  {name}: {time.monotonic() - begun:.1f} s", flush=True)

    os.environ.pop("PYTHONPATH", None)
    begun = time.monotonic()
    check_command(version)
    make_demo(Path.cwd())
    step("the demo", begun)
    begun = time.monotonic()
    check_front()
    step("the front", begun)
    for path in sorted(Path(notebooks).glob("*.ipynb")):
        begun = time.monotonic()
        run_notebook(path, Path.cwd())
        step(path.name, begun)


if __name__ == "__main__":
    main(*sys.argv[1:])

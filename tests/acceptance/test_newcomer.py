"""A newcomer at a real terminal: the README from top to bottom, the tutorial and every how-to page, typed as they stand.

What is shown is compared with what the page says. Tests of the same lines without a terminal are in `tests/docs` and
`test_demo.py`; these show that they also work in a shell, with its prompts, its pager, its widths and its Ctrl-C.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.pseudo_terminal import PseudoTerminal, Shown
from tests.support.reader_folder import STORY, lay_out
from tests.support.second_disk import second_disk
from tests.support.typed_page import Typed, command_lines, typed_in

HOW_TO = ROOT / "docs" / "how-to"
WIDTHS = [80, pytest.param(50, marks=pytest.mark.slow)]
FEED = "http://harbour-herald.example/feeds/rss.xml"

INSTEAD = {
    "https://example.org/feed.xml": FEED,
    "https://www.example.org/feed.xml": "http://harbour-herald.example/feeds/other.xml",
    "discover www.example.org": "discover http://harbour-herald.example/",
    "https://journal.example/article/12": STORY,
    "--host 0.0.0.0 --port 8701": "--port 0",
    "mcp --http": "mcp --http --port 0",
    "--host 0.0.0.0 ": "",
    "/mnt/disk": "DISK",
    "/mnt/second-disk": "DISK",
    "--as-of 2026-11-18T08:00:00Z": "--as-of 2126-11-18T08:00:00Z",
}
"""Whatever a page leaves to the reader, or is a reader's own, and what stands for it here: sites, disks, ports, moments."""

NOT_TYPED = {
    "make test": "it runs the tests",
    "pip ": "installs from the package index, as `make test-wheel` and the workflow do",
    "python3 -m venv": "for the lines that install",
    "wb-manager": "needs pywb; tests/archive replays with it where it is",
    "wayback": "needs pywb",
    "export TEARSHEET_ENGINES": "needs servers; tests/acceptance/test_large_engines.py has them",
    "tearsheet worker queuer &": "needs servers",
    "my.opml": "the reader's own list; test_make_run types the line with one feed",
    "certificate": "needs a certificate; tests/web/test_listening.py makes one",
    "tearsheet archive forget": "its disk must be lost first; tests/docs/test_recovery.py loses one",
    "tearsheet archive upload": "needs a store; tests/docs/test_recovery.py has them",
    "tearsheet archive verify --copies": "needs a store",
    "tearsheet feeds sync https:": "needs a directory of feeds; tests/cli/test_feed_lists.py has one",
    "cp -a": "needs a store",
    "tearsheet pipeline run csv": "needs a list of addresses; tests/docs/test_recovery.py writes one",
    "tearsheet backup --": "needs the setting above it; tests/docs/test_recovery.py has it",
    "tearsheet ingest --unhide": "a digest of the reader's own",
    "tearsheet ingest --queue": "its results are the business of the next line, which goes on for ever",
    "tearsheet queues load-archives": "there is nothing to load where every queue is empty",
    "tearsheet sources import sources.csv": "its file is written by the line before, after a loss",
}
"""Lines, or parts of them, that cannot be typed on any machine, each with its reason."""

READY = {
    r"tearsheet demo": "Your own feeds",
    r"(?:\.venv/bin/)?tearsheet run\b(?!.*--once)": "Look at it",
    r"tearsheet serve": "Look at it",
    r"tearsheet mcp": "For agents",
    r"tearsheet worker": "at work",
    r"tearsheet archive replay": "as captured",
}
"""What goes on until Ctrl-C, and what it says when it has begun."""

ENDS_WITH = {
    "tearsheet ingest https://journal.example": 3,
    "tearsheet ingest --requests": 3,
    "tearsheet run --once --no-web": 3,
}
"""An article of the demo stands for a journal's: it is captured, and is no full text, as the page says of this exit code. The
feeds that a feed reader's list and the page itself name are nowhere, which a run says in this way.
"""
COUNTED = "addresses|captures|copies|feeds|files|links|pages|records|seeds|sources|stories|topics"
ASKED = {"--reason": ("[y/N]", "y\n"), "--password-prompt": ("Password: ", "a secret\n")}
"""Words of lines that ask something: what the question ends with, and what a person answers."""
LOST = re.compile(r"tearsheet restore")
"""What is typed after the data folder is gone."""


def here(line: str, disk: Path) -> str:
    """A line of a page with what stands here for the places of readers."""
    for theirs, ours in INSTEAD.items():
        line = line.replace(theirs, ours)
    return line.replace("DISK", str(disk))


def can_be_typed(line: str) -> bool:
    return not any(part in line for part in NOT_TYPED)


def type_line(terminal: PseudoTerminal, line: str) -> Shown:
    """Type a line as a person does: stop what goes on, and say yes when asked."""
    for pattern, said in READY.items():
        if re.match(pattern, line):
            begun = terminal.begin(line, said)
            ended = terminal.stop()
            assert ended.code in (0, 11), (line, ended.text)  # 11: stopped before it had quite begun
            return Shown(begun + ended.text, ended.raw, 0)
    until, answer = next((asked for words, asked in ASKED.items() if words in line), ("", ""))
    return terminal.type(line, until, answer)


def check(line: str, shown: Shown) -> None:
    """No line of a page fails, says nothing, counts one thing as many, or shows what only its makers understand."""
    told = f"$ {line}\n{shown.text}"
    code = next((code for words, code in ENDS_WITH.items() if line.startswith(words)), 0)
    assert (shown.code, "Traceback" in shown.text) == (code, False), f"{shown.code}: {told}"
    assert shown.text.strip() or " > " in line or line.startswith(("mv ", "mkdir ")), f"nothing is shown: {told}"
    assert "\n0 of " not in shown.text and "\ufffd" not in shown.text, told
    assert not re.search(rf"\b1 (?:{COUNTED})\b", shown.text), told
    addresses = re.findall(r"http://[\w.]+\.example/\S*", shown.text)
    assert not any(address.endswith("-") for address in addresses), f"an address is broken: {told}"


def link_programs(folder: Path) -> None:
    """Make `.venv/bin` in a folder as pages tell readers to make it, of what is installed already."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("tearsheet", "python", "uv"):
        (programs / name).symlink_to(Path(sys.executable).parent / name)


@pytest.fixture(scope="module", params=WIDTHS)
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int, Typed]]:
    """The demo in a terminal of its own, from the first line of the README; its folder, the width, and what it showed."""
    folder = tmp_path_factory.mktemp("newcomer")
    with PseudoTerminal(folder, request.param) as terminal:
        shown = terminal.begin("tearsheet demo", "Your own feeds")
        yield folder, request.param, Typed("tearsheet demo", shown.splitlines())
        assert terminal.stop().code == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with second_disk(tmp_path) as folder:
        yield folder


def readme() -> tuple[list[str], list[str], list[str]]:
    """The lines of the README: those with `make` or a `.venv`, those for the demo, and those for a collection of one's own."""
    before, _, after = (ROOT / "README.md").read_text("utf-8").partition("## Five minutes")
    for_demo, _, own = after.partition("Your own collection:")
    return command_lines(before), command_lines(for_demo), command_lines(own)


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_the_tutorial(demo: tuple[Path, int, Typed]):
    folder, width, shown_by_demo = demo
    first, *others = typed_in(ROOT / "docs/tutorial/first-collection.md")
    assert not (different := first.differs_from("\n".join(shown_by_demo.shown))), different
    with PseudoTerminal(folder, width) as terminal:
        for typed in others:
            shown = terminal.type(typed.command)
            assert not (different := typed.differs_from(shown.text)), different
            assert "\x1b[" in shown.raw, "on a terminal there are styles"


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_the_readme_from_top_to_bottom(demo: tuple[Path, int, Typed], disk: Path):
    folder, width, _ = demo
    _, for_demo, own = readme()
    assert len(for_demo) > 15 and len(own) > 3
    with PseudoTerminal(folder, width) as terminal:
        for line in for_demo[1:]:  # the first is the demo itself
            check(line, terminal.type(here(line, disk)))
        data = folder / "tearsheet-data"
        shutil.copy(
            data / "demo" / "config.toml", data
        )  # the way to the invented sites, which stand for a reader's own
        for line in filter(can_be_typed, own):
            check(line, type_line(terminal, here(line, disk)))
        assert [path.name for path in folder.iterdir() if path.name.startswith("tearsheet")] == ["tearsheet-data"]


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_make_run_as_the_readme_begins(tmp_path: Path):
    """In a copy of the repository whose packages are installed already."""
    for name in ("Makefile", "pyproject.toml", "locks", "tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    link_programs(tmp_path)
    (tmp_path / ".venv" / ".base").touch()
    lines = [line for line in readme()[0] if can_be_typed(line)]
    assert lines == ["make run", ".venv/bin/tearsheet run"]
    with PseudoTerminal(tmp_path) as terminal:
        for line in lines:
            begun = terminal.begin(line, "Look at it")
            assert "There are no feeds yet, so here is the demo newsroom." in begun
            assert terminal.stop().code in (0, 11, 130), (
                line
            )  # 11: before it had quite begun; 130: what `make` makes of it


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", sorted(page.name for page in HOW_TO.glob("*.md")))
def test_a_how_to_page(page: str, demo: tuple[Path, int, Typed], tmp_path: Path, disk: Path):
    folder, width, _ = demo
    lines = [line for line in command_lines((HOW_TO / page).read_text("utf-8")) if can_be_typed(line)]
    lay_out(tmp_path, folder / "tearsheet-data" / "demo")
    shutil.rmtree(tmp_path / "tearsheet-data.newer")  # the page on upgrades makes it
    link_programs(tmp_path)
    with PseudoTerminal(tmp_path, width) as terminal:
        for line in lines:
            if LOST.match(line):
                shutil.rmtree(tmp_path / "tearsheet-data", ignore_errors=True)
            check(line, type_line(terminal, here(line, disk)))


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_prompt_pager_progress_and_colours(demo: tuple[Path, int, Typed], tmp_path: Path):
    folder, width, _ = demo
    lay_out(tmp_path, folder / "tearsheet-data" / "demo")
    with PseudoTerminal(tmp_path, width, rows=24, PAGER="head -3") as terminal:
        refused = terminal.type(f"tearsheet erase {STORY} --reason x", until="[y/N]", answer="n\n")
        assert refused.code == 1 and "nothing was done: the answer was no" in refused.text
        paged = terminal.type("tearsheet search '*' --limit 100")
        assert paged.code == 0 and len(paged.text.splitlines()) <= 5, "more than a screen goes through the pager"
        run = terminal.type("tearsheet index rebuild")
        assert run.code == 0 and run.text.count("\n") < 5, "progress leaves nothing behind"
        assert "\x1b[1m" in terminal.type("tearsheet count flood --by week").raw
        assert "\x1b" not in terminal.type("NO_COLOR=1 tearsheet count flood --by week").raw
        assert "\x1b]8;;http" in terminal.type("FORCE_HYPERLINK=1 tearsheet search flood --limit 1").raw
        assert "\x1b]8;;" not in terminal.type("tearsheet search flood --limit 1").raw, "xterm may not know them"


def test_what_is_not_typed_is_still_in_the_pages():
    """No line is left out by a reason that is none any more."""
    pages = [ROOT / "README.md", *HOW_TO.glob("*.md")]
    lines = [line for page in pages for line in command_lines(page.read_text("utf-8"))]
    assert [part for part in NOT_TYPED if not any(part in line for line in lines)] == []
    assert [theirs for theirs in INSTEAD if not any(theirs in line for line in lines)] == []
    assert len(list(filter(can_be_typed, lines))) > 100

"""The pages as a whole: each is in the index, every link leads to a heading that is there, and the site asks no other host."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from mdit_py_plugins.anchors.index import slugify

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES = sorted(page for page in DOCS.rglob("*.md") if page not in (DOCS / "README.md", DOCS / "index.md"))
WRITTEN = [*OUTSIDE, DOCS / "README.md", *PAGES]

LOADED = re.compile(
    r"""<(?:script|img|source|iframe|video|audio|embed|object)\b[^>]*?\b(?:src|srcset|data)=["']?([^"'\s>]+)"""
    r"""|<link\b(?![^>]*rel="(?:canonical|next|prev|search|index)")[^>]*?\bhref=["']?([^"'\s>]+)"""
    r"""|\burl\(\s*["']?([^"')]+)|@import\s+["']([^"']+)"""
)
"""What a browser fetches by itself when it shows a page or a style sheet."""


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code, in which a `#` begins a comment."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    """The names of the headings of a page, as a forge and the site make them."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {slugify(re.sub(r"`|\[([^]]*)\]\([^)]*\)", r"\1", title)) for title in titles}


def dead_links(page: Path) -> list[str]:
    """The links of a page to files or headings that are not there."""
    dead = []
    for link in re.findall(r"(?<!`)\]\(([^)\s]+)\)", prose(page)):
        target, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_page_and_a_heading_that_are_there(page: Path):
    assert dead_links(page) == []


def test_dead_links_would_be_seen(tmp_path):
    (tmp_path / "other.md").write_text("# One `two` heading\n")
    page = tmp_path / "page.md"
    page.write_text("[a](other.md#one-two-heading) [b](other.md#three) [c](none.md) [d](#here)\n\n```sh\n# here\n```\n")
    assert dead_links(page) == ["other.md#three", "none.md", "#here"]


def test_every_page_is_in_the_index_once():
    named = re.findall(r"^- .*?\]\(([\w/-]+\.md)\)", (DOCS / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == [str(page.relative_to(DOCS)) for page in PAGES]


def test_the_navigation_of_the_site_is_the_index():
    front_page = runpy.run_path(str(DOCS / "conf.py"))["front_page"]
    made = front_page("# Title\n\n[no](no.md)\n\n## First\n\n- [One](a/one.md): words\n- [data](a/x.json)\n")
    assert made.endswith("```{toctree}\n:hidden:\n:caption: First\n\nOne <a/one>\n```\n\n")
    assert made.count("toctree") == 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_has_one_title_and_its_pictures_have_words(page: Path):
    assert len(re.findall(r"^# ", prose(page), re.MULTILINE)) == 1
    assert "![](" not in prose(page)


def foreign(text: str) -> list[str]:
    """The addresses of other hosts that a browser would fetch from by itself."""
    found = [next(filter(None, groups)) for groups in LOADED.findall(text)]
    return [address for address in found if re.match(r"(?:https?:)?//", address)]


def test_what_is_loaded_from_elsewhere_would_be_seen():
    page = '<link rel="stylesheet" href="https://a.example/x.css"><script src="//b.example/x.js"></script><img src="x.png">'
    assert foreign(page) == ["https://a.example/x.css", "//b.example/x.js"]
    assert foreign("@font-face { src: url('https://c.example/f.woff2') } p { background: url(x.png) }") == [
        "https://c.example/f.woff2"
    ]
    assert foreign('<a href="https://d.example/">a link that a reader may follow</a>') == []


@pytest.mark.proof
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_other_hosts(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-d", tmp_path / "trees"]
    site = tmp_path / "site"
    done = subprocess.run([*command, DOCS, site], capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    for page in PAGES:
        built = site / page.relative_to(DOCS).with_suffix(".html")
        assert f'href="{built.relative_to(site).as_posix()}"' in (site / "index.html").read_text("utf-8")
    files = [file for kind in ("html", "css") for file in site.rglob(f"*.{kind}")]
    assert len(files) > len(PAGES)
    assert {str(file): found for file in files if (found := foreign(file.read_text("utf-8")))} == {}

"""How these pages become a site: `make docs-site` builds it into build/site, without the network.

The front page is README.md, as a forge shows it; the navigation is made from its links, so that there is one list of pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tearsheet import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Tearsheet"
release = version = __version__
html_title = f"Tearsheet {__version__}"
project_copyright = "The Tearsheet authors"

extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["README.md"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
nitpicky = True
highlight_language = "none"

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site"]
html_css_files = ["site.css"]
html_favicon = "../src/tearsheet/web/static/icon.svg"


def _colours(paper: str, sheet: str, soft: str, accent: str) -> dict[str, str]:
    return {
        "color-background-primary": sheet,
        "color-background-secondary": paper,
        "color-brand-primary": accent,
        "color-brand-content": accent,
        "color-brand-visited": accent,
        "color-sidebar-link-text": soft,
        "color-sidebar-link-text--top-level": soft,
    }


html_theme_options = {  # the colours of the web pages, in style.css
    "light_css_variables": _colours("#fbf8f1", "#fffdf8", "#5a5349", "#8c1c13"),
    "dark_css_variables": _colours("#16140f", "#1d1a15", "#b1a898", "#f2a191"),
}
copybutton_exclude = ".linenos, .gp, .c1"  # what is copied runs: without the comments behind a command


def front_page(text: str) -> str:
    """README.md, and behind each of its sections the navigation to the pages that the section names."""
    before, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return before + "".join(section + _navigation(section) for section in sections)


def _navigation(section: str) -> str:
    caption = section.splitlines()[0].removeprefix("## ")
    pages = [f"{title} <{page}>" for title, page in re.findall(r"\[([^]]+)\]\(([\w/-]+)\.md\)", section)]
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", "", ""])


def _read_front_page(app: Sphinx, name: str, source: list[str]) -> None:
    if name == "index":
        readme = Path(app.srcdir, "README.md")
        app.env.note_dependency(str(readme))
        source[0] = front_page(readme.read_text("utf-8"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("source-read", _read_front_page)
    return {"parallel_read_safe": True}

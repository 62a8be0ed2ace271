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
suppress_warnings = ["myst.header"]  # a page of reference may begin with a table of its parts
nitpicky = True
highlight_language = "none"

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["site"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#8a2b1d", "color-brand-content": "#8a2b1d"},
    "dark_css_variables": {"color-brand-primary": "#f0a08f", "color-brand-content": "#f0a08f"},
}
copybutton_exclude = ".linenos, .gp, .c1"  # what is copied runs: without the comments behind a command


def front_page(text: str) -> str:
    """README.md, and behind each of its sections the navigation to the pages that the section names."""
    before, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    return before + "".join(section + _navigation(section) for section in sections)


def _navigation(section: str) -> str:
    caption = section.splitlines()[0].removeprefix("## ")
    pages = re.findall(r"\]\(([\w/-]+)\.md\)", section)
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

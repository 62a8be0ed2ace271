"""The folders of feeds: paths of names, and how they are written as one text.

A path is written as `Europe/Press & radio`, several of them with `;` between. A `/` or `;` in a name has a backslash before it, and
so has a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tearsheet.feeds.catalogue.model import Folder

MAX_DEPTH, MAX_LABEL = 20, 200
"""How deep folders may be nested, and how much of their names is kept, so that all paths together are no longer than the list."""
MAX_FOLDERS = 100
"""Of one feed."""
SEPARATOR, SLASH = ";", "/"
_SPECIAL = re.compile(r"([\\;/])")
_NAME_SPECIAL = re.compile(r"([\\;])")
_PIECE = re.compile(r"\\(.)|([;/])|([^\\;/]+|\\\Z)", re.DOTALL)


def folder_name(text: str) -> str:
    """A name as it is kept: in one line, and not longer than any reader shows."""
    return " ".join(text.split())[:MAX_LABEL].rstrip()


def folders_text(folders: Iterable[Folder]) -> str:
    """Folders as one text."""
    return SEPARATOR.join(SLASH.join(_SPECIAL.sub(r"\\\1", name) for name in path) for path in folders)


def read_folders(text: str) -> tuple[Folder, ...]:
    """The folders in a text, each once. Names without a letter are left out."""
    paths: list[list[list[str]]] = [[[]]]
    for escaped, mark, plain in _PIECE.findall(text):
        if mark == SEPARATOR:
            paths.append([[]])
        elif mark == SLASH:
            paths[-1].append([])
        else:
            paths[-1][-1].append(escaped or plain)
    return cleaned_folders(["".join(pieces) for pieces in path] for path in paths)


def cleaned_folders(paths: Iterable[Iterable[str]]) -> tuple[Folder, ...]:
    """Folders as they are kept: names in one line, no path too deep, each path once."""
    found: dict[Folder, None] = {}
    for path in paths:
        names = tuple(name for name in map(folder_name, path) if name)[:MAX_DEPTH]
        if names:
            found[names] = None
    return tuple(found)[:MAX_FOLDERS]


def collection_of(folder: Folder) -> str:
    """The collection that the source of a feed in this folder joins."""
    return " / ".join(folder)


def names_text(names: Iterable[str]) -> str:
    """Names without a path, such as those of collections, as one text."""
    return SEPARATOR.join(_NAME_SPECIAL.sub(r"\\\1", name) for name in names)


def read_names(text: str) -> tuple[str, ...]:
    """The names in a text, without blanks around them, as they are written."""
    names: list[list[str]] = [[]]
    for escaped, mark, plain in _PIECE.findall(text):
        if mark == SEPARATOR:
            names.append([])
        elif escaped:  # a backslash before anything else means itself
            names[-1].append(escaped if escaped in ("\\", ";") else f"\\{escaped}")
        else:
            names[-1].append(mark or plain)  # a slash means nothing in a plain name
    joined = ("".join(pieces).strip() for pieces in names)
    return tuple(name for name in joined if name)

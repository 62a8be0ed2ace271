"""Where a setting's URL or path points: to a server, to a place in the data folder, or to one outside it.

A path without a scheme is in the data folder unless it is absolute: `archive-copies`, `/mnt/disk/copies`. With a scheme it is a
URL like any other: `file:///mnt/disk/copies` and `file://localhost/mnt/disk/copies` are `/mnt/disk/copies`, and `file:copies` is in
the data folder. Earlier versions took three slashes for the data folder; such a setting is refused with the line to write
wherever it could still be meant.
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from tearsheet.errors import ConfigError
from tearsheet.masking import masked_place

EMBEDDED = ("sqlite", "tantivy", "file", "jsonl")
"""The schemes of places on this machine."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ONLY_IN_URLS = re.compile(r"[%?#]")


def scheme_of(url: str) -> str:
    """`postgresql` for `postgresql://HOST/NAME`; empty for a path without a scheme."""
    found = _SCHEME.match(url)
    return found[1].lower() if found else ""


def is_embedded(url: str) -> bool:
    """Whether a URL names a place on this machine, and no server."""
    return scheme_of(url) in ("", *EMBEDDED)


def engine_of(url: str, setting: str, engines: str) -> str:
    """The engine that a setting's URL names, by its scheme; a path without a scheme names the first of the `engines`.

    `engines` shows one URL of each kind: `file:///FOLDER s3://KEY:SECRET@HOST/BUCKET`. Raises ConfigError.
    """
    shapes = engines.split()
    known = [scheme_of(shape) for shape in shapes]
    scheme = scheme_of(url) or known[0]
    if scheme in known:
        return scheme
    hint = f"; for a file of that name, write ./{url}" if not {"/", "@"} & set(url) else ""
    raise ConfigError(f"{setting}: unknown engine {scheme!r}; use a path, {' or '.join(shapes)}{hint}")


def written_path(url: str, setting: str) -> str:
    """The path that a URL or a path names, absolute or relative to the data folder. Raises ConfigError if there is none."""
    scheme = scheme_of(url)
    path = url[len(scheme) + 1 :] if scheme else url
    if path.startswith("//") and scheme:
        host, slash, rest = path[2:].partition("/")
        if host and host.lower() != "localhost":  # this machine, as RFC 8089 has it
            better = "PATH" if "@" in url else f"{host}{slash}{rest}"
            raise _refused(
                url, setting, f"names a machine: write '{scheme}:///{better}', or '{better}' in the data folder"
            )
        path = slash + rest
    unlikely = path != path.strip() or not path.isprintable() or "\\" in path or (not scheme and "//" in path)
    if not path.strip("/") or unlikely:
        raise _refused(url, setting, "is no path: write it with slashes, as 'FOLDER/NAME' or '/FOLDER/NAME'")
    if scheme and _ONLY_IN_URLS.search(path):
        raise _refused(url, setting, f"could be read in two ways: write the path itself, as in {_plain(path)!r}")
    if path.startswith("~"):
        better = os.path.expanduser(path)  # noqa: PTH111 - of an unknown user, pathlib makes an error
        raise _refused(url, setting, f"is not a whole path: write {better!r}, or './{path}' for a folder of that name")
    if ".." in path.split("/"):
        raise _refused(
            url, setting, "goes up: write the whole path without '..', beginning with '/' outside the data folder"
        )
    return _plain(path)


def _plain(path: str) -> str:
    """Without doubled slashes, `.` and a slash at the end."""
    plain = posixpath.normpath(path)
    return "/" + plain.lstrip("/") if plain.startswith("/") else plain


def _refused(url: str, setting: str, why: str) -> ConfigError:
    return ConfigError(f"{setting}: {masked_place(url)!r} {why}")


def local_path(url: str, data: Path, setting: str) -> Path:
    """The path of an embedded engine or a folder store. Nothing is made. Raises ConfigError.

    A URL of three slashes that an earlier version of the program may have taken for a place in the data folder is refused:
    there is something at that place, or not even the first folder of the path is there.
    """
    path = written_path(url, setting)
    meant = data / path
    if not url.partition(":")[2].startswith("///") or url.partition(":")[2].startswith("////"):
        return meant
    inside = path.lstrip("/")
    earlier = data / inside
    if earlier.exists() and not (meant.exists() and meant.samefile(earlier)):
        raise _refused(
            url,
            setting,
            f"means {meant}, but an earlier version took it for {earlier}, which is there: "
            f"write {inside!r} to keep that one, or {path!r} for the other",
        )
    top = "/" + inside.partition("/")[0]
    if not os.path.lexists(top):
        raise _refused(
            url,
            setting,
            f"means {meant}, and there is no {top}: write {inside!r} for a place in the data folder, or {path!r}",
        )
    return meant

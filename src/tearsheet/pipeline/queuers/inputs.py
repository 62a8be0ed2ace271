"""What a queuer is given: local files, directories, HTTP addresses, blob URLs with a `*` at the end, and `@file` lists."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from tearsheet.engines import written_path
from tearsheet.engines.blobs import Blobs, blob_place, split_pattern
from tearsheet.errors import EngineError, ItemRefused, NotFoundError, UsageError, UserError
from tearsheet.masking import shown_url
from tearsheet.pipeline.queuers.http_input import DOWNLOAD_PACE, opened_url

MAX_DOWNLOAD = 16 << 30
"""Bytes of one input file that is downloaded first."""
_MAX_LISTS = 5
_PIECE = 1 << 20
_GZIP = b"\x1f\x8b"


class CannotOpen(UserError):
    """One input file cannot be opened. Others may be."""


@dataclass(slots=True, frozen=True)
class InputFile:
    """A file whose stories are to be queued."""

    name: str
    """What is shown to users, without secrets: a path or a URL."""
    size: int | None
    open: Callable[[], BinaryIO] = field(repr=False)
    """Opens it as it is stored. Raises CannotOpen."""
    problem: str = ""
    """Why there is no such file, if that is already known."""


@dataclass(slots=True, frozen=True)
class InputStores:
    """Where inputs may be, beside this machine."""

    blobs_url: str = field(repr=False)
    """The setting `engines.blobs`."""
    open_blobs: Callable[[str, str], Blobs]
    """Opens the blob store at a URL; the second argument says in error messages where the URL came from."""
    moved: Callable[[Path], Sequence[InputFile]] = lambda _: ()
    """The files that used to be below a directory and are now only in a store, under the names that they had."""


def expand(inputs: Sequence[str], stores: InputStores, suffixes: Sequence[str] = ()) -> list[InputFile]:
    """The files that inputs stand for, in order. From a directory or a `*`, only files with one of the `suffixes` (before
    `.gz`) are taken, those with the highest names first. An input that does not exist becomes a file with a `problem`.
    """
    return list(_expand(inputs, stores, tuple(suffixes), 0))


def _expand(inputs: Sequence[str], stores: InputStores, suffixes: tuple[str, ...], depth: int) -> Iterator[InputFile]:
    for text in inputs:
        blob = None if text.startswith("@") else blob_place(text, stores.blobs_url)
        if text.startswith("@"):
            yield from _list(text[1:], stores, suffixes, depth)
        elif text.startswith(("http://", "https://")):
            yield InputFile(shown_url(text), None, partial(_download, text))
        elif blob is not None:
            opened = stores.open_blobs(blob.store, "engines.blobs" if blob.store == stores.blobs_url else blob.shown)
            yield from _blobs(opened, blob.pattern, blob.name, suffixes)
        else:
            yield from _local(_path_of(text), suffixes, stores)


def _path_of(text: str) -> Path:
    """The path that an input names. Raises UsageError when it is a URL of a kind that nobody here can open."""
    scheme, separator, _ = text.partition("://")
    if not separator or "/" in scheme:
        return Path(text)
    if scheme != "file":
        raise UsageError(
            f"an input cannot be a {scheme}:// URL: give a path, file:///PATH, http(s)://…, s3://BUCKET/KEY or blob:KEY"
        )
    return Path(written_path(text, "an input"))


def _list(path: str, stores: InputStores, suffixes: tuple[str, ...], depth: int) -> Iterator[InputFile]:
    if depth >= _MAX_LISTS:
        raise UsageError(f"@{path}: lists that name lists, more than {_MAX_LISTS} deep; does one name itself?")
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NotFoundError(f"@{path}: the list cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            for file in _expand([line.strip()], stores, suffixes, depth + 1):
                problem = f"line {number} of {path}: {file.problem}" if file.problem else ""
                yield InputFile(file.name, file.size, file.open, problem)


def _local(path: Path, suffixes: tuple[str, ...], stores: InputStores) -> Iterator[InputFile]:
    if path.is_file():
        yield _file(path)
        return
    moved = [file for file in stores.moved(path) if _fits(Path(file.name).name, suffixes)]
    if not path.is_dir() and not moved:
        yield _missing(str(path), "there is no such file or directory")
        return
    here = [_file(item) for item in path.rglob("*") if item.is_file() and _fits(item.name, suffixes)]
    yield from sorted([*here, *moved], key=lambda file: Path(file.name), reverse=True)


def _file(path: Path) -> InputFile:
    return InputFile(str(path), path.stat().st_size, partial(_opened, path))


def _fits(name: str, suffixes: tuple[str, ...]) -> bool:
    plain = name.lower().removesuffix(".gz").removesuffix(".gzip")
    return not name.startswith(".") and (not suffixes or plain.endswith(suffixes))


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise CannotOpen(f"{path}: {error.strerror}") from error


def _blobs(store: Blobs, pattern: str, shown: Callable[[str], str], suffixes: tuple[str, ...]) -> Iterator[InputFile]:
    _, wildcard = split_pattern(pattern)
    found = [blob for blob in store.list(pattern) if not wildcard or _fits(blob.key.rpartition("/")[2], suffixes)]
    if not found:
        yield _missing(shown(pattern), "there is no such blob")
    for blob in sorted(found, key=lambda blob: blob.key, reverse=True):
        yield InputFile(shown(blob.key), blob.size, partial(_fetched, store, blob.key))


def _fetched(store: Blobs, key: str) -> BinaryIO:
    try:
        return _spooled(store.open(key))
    except NotFoundError as error:
        raise CannotOpen(str(error)) from error


def _missing(name: str, problem: str) -> InputFile:
    def refuse() -> BinaryIO:
        raise CannotOpen(f"{name}: {problem}")

    return InputFile(name, None, refuse, problem)


def _download(url: str) -> BinaryIO:
    try:
        with opened_url(url, pace=DOWNLOAD_PACE) as response:
            length = response.headers.get("Content-Length")
            spooled = _spooled(iter(lambda: response.read1(_PIECE), b""))
    except (EngineError, ItemRefused) as error:
        raise CannotOpen(str(error)) from error
    if length and length.isdigit() and spooled.seek(0, io.SEEK_END) != int(length):
        spooled.close()
        raise CannotOpen(f"{shown_url(url)}: the connection was lost before its end")
    spooled.seek(0)
    return spooled


def _spooled(pieces: Iterator[bytes]) -> BinaryIO:
    """A remote file, downloaded into a temporary file without a name."""
    spooled = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - closed by its reader
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > MAX_DOWNLOAD:
            spooled.close()
            raise CannotOpen(f"larger than {MAX_DOWNLOAD:,} bytes")
        spooled.write(piece)
    spooled.seek(0)
    return spooled


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The stream, unpacked if its first bytes say that it is gzipped."""
    start = stream.read(2)
    stream.seek(0)
    return cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if start == _GZIP else stream

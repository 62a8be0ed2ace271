"""The WARC files inside a WACZ file, which may be other people's: read where they lie, without unpacking anything."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

WACZ = ".wacz"
_FOLDER, _NAMES = "archive/", (".warc", ".warc.gz")


class BadWacz(Exception):
    """The file is no WACZ, or is damaged."""


def warcs_in_wacz(file: Path | BinaryIO, shown: str) -> Iterator[tuple[str, BinaryIO]]:
    """Each WARC file in a WACZ file, open, with a name that shows where it is. Use it in a block of `wacz_errors`."""
    with zipfile.ZipFile(file) as outer:
        found = [
            info for info in outer.infolist() if info.filename.startswith(_FOLDER) and info.filename.endswith(_NAMES)
        ]
        if not found:
            raise BadWacz("there is no WARC file in it")
        for info in found:
            if info.compress_type != zipfile.ZIP_STORED:
                raise BadWacz(f"{info.filename} is packed once more, which a WACZ file must not be")
            with outer.open(info) as stream:
                yield f"{shown}!{info.filename}", cast(BinaryIO, stream)


@contextmanager
def wacz_errors() -> Iterator[None]:
    """What goes wrong while a WACZ file is read becomes a BadWacz."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        RuntimeError,
        EOFError,
        ValueError,
    ) as error:  # encrypted, cut off, a name that is no UTF-8
        raise BadWacz(str(error)) from error
    except OSError as error:
        raise BadWacz(error.strerror or str(error)) from error

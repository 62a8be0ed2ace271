"""An index whose files may not be written: the user is told so, and not to repair or stop anything."""

from __future__ import annotations

import pytest
from tantivy import Index

from tearsheet.engines.index import tantivy_words
from tearsheet.errors import StorageError

SAID = (
    'Failed to acquire Lockfile: IoError(Os { code: 13, kind: PermissionDenied, message: "Permission denied" }). None'
)


class Forbidden:
    """An index as tantivy has it for whoever may not write its lock."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def config_reader(self, *_: object) -> None:
        raise ValueError(SAID)

    writer = config_reader


def test_who_reads_is_told_of_the_rights(tmp_path, monkeypatch):
    monkeypatch.setattr("tantivy.Index", Forbidden)
    with pytest.raises(StorageError, match="check their rights"):
        tantivy_words.open_words(tmp_path)


def test_who_writes_is_told_of_the_rights(tmp_path):
    index: Index = Forbidden()  # type: ignore[assignment]
    with pytest.raises(StorageError, match="check their rights"):
        tantivy_words.take_writer(index, tmp_path, 1)
    assert "check their rights" in str(tantivy_words.storage_error(tmp_path, ValueError(SAID)))

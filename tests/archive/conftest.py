import pytest

from tearsheet.archive.store import ArchiveStore


@pytest.fixture
def store(database):
    return ArchiveStore(database)

import pytest

from tearsheet.archive.store import ArchiveStore
from tearsheet.engines.database import open_database


@pytest.fixture
def database(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def store(database):
    return ArchiveStore(database)

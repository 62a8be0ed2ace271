from .port import Database as Database
from .sql import UtcDateTime as UtcDateTime
from .sql import metadata as metadata
from .sql import open_database as open_database

from .opener import open_database as open_database
from .port import Database as Database
from .sql import UtcDateTime as UtcDateTime
from .sql import metadata as metadata
from .sql import migration_steps as migration_steps
from .sql import partial_index as partial_index

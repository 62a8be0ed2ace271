from .holders import Holder as Holder
from .location import is_embedded as is_embedded
from .location import local_path as local_path
from .location import scheme_of as scheme_of
from .location import written_path as written_path
from .server import PATIENCE_SECONDS as PATIENCE_SECONDS
from .server import load_client as load_client
from .server import pauses as pauses

from .erasing import erase_from_snapshots as erase_from_snapshots
from .export_files import page_of as page_of
from .export_files import write_export as write_export
from .export_files import write_map as write_map
from .parallel import LARGE as LARGE
from .store import list_snapshots as list_snapshots
from .store import load_snapshot as load_snapshot
from .store import save_snapshot as save_snapshot

from . import errors as errors
from .app.library.archives import read_archive as read_archive
from .app.library.collection import open as open
from .app.library.documents import extract_article as extract_article
from .app.library.documents import parse_feed as parse_feed
from .app.library.visits import capture as capture
from .app.library.visits import discover_feeds as discover_feeds
from .query import parse_query as parse_query

__version__: str

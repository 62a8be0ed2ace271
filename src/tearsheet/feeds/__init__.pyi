from .access import read_headers as read_headers
from .formats.model import Enclosure as Enclosure
from .formats.model import Entry as Entry
from .formats.model import FeedError as FeedError
from .formats.model import ParsedFeed as ParsedFeed
from .formats.parse import parse_feed as parse_feed
from .intervals import LONGEST_MINUTES as LONGEST_MINUTES
from .polling.schedule import next_fetch as next_fetch

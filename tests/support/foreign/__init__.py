"""Every reader of bytes that strangers made, in one table (`READERS`), with what is known of its limits and its worst inputs."""

from tests.support.foreign.archives import ARCHIVES
from tests.support.foreign.feeds import FEEDS
from tests.support.foreign.http import HTTP
from tests.support.foreign.lists import LISTS
from tests.support.foreign.model import ForeignReader, Worst
from tests.support.foreign.pages import PAGES

READERS: dict[str, ForeignReader] = {reader.name: reader for reader in (*HTTP, *FEEDS, *PAGES, *ARCHIVES, *LISTS)}

__all__ = ["READERS", "ForeignReader", "Worst"]

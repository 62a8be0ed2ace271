"""All requests to the web: one polite client for each event loop, shared by everything that runs in it."""

from __future__ import annotations

from collections.abc import Callable

from tearsheet.app.sharing import SharedByLoop
from tearsheet.engines.database import Database
from tearsheet.fetch import HostStore, PoliteClient
from tearsheet.settings import FetchSettings

STORIES_PER_SLOT = 16
"""Stories in hand for each one being fetched. Most of them wait for their host's turn, so there must be many more."""


def polite_clients(settings: FetchSettings, database: Callable[[], Database]) -> SharedByLoop[PoliteClient]:
    """The polite clients of a process. What they know about hosts is in the database, where other processes see it too."""
    in_flight = STORIES_PER_SLOT * settings.concurrency
    return SharedByLoop(lambda: PoliteClient(settings, HostStore(database()), in_flight=in_flight))

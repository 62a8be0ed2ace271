"""Who asks the web: the one place where a client and its manners are built from the settings."""

from __future__ import annotations

from contextlib import AsyncExitStack

from tearsheet.app.engines import Engines
from tearsheet.fetch import Client, HostStore, Manners, Robots
from tearsheet.pipeline import Fetcher


def open_client(engines: Engines, stack: AsyncExitStack) -> Client:
    """A client as the settings want it; it belongs to the event loop and is closed with `stack`."""
    client = Client(engines.settings.fetch)
    stack.push_async_callback(client.close)
    return client


def open_fetcher(engines: Engines, client: Client, stack: AsyncExitStack, *, places: int | None = None) -> Fetcher:
    """The stage that fetches pages with this client; `places` is how many stories it may hold while their hosts are busy."""
    settings, hosts = engines.settings.fetch, HostStore(engines.database)
    manners = Manners(settings, hosts, places=places)
    stack.push_async_callback(manners.close)
    return Fetcher(client, manners, settings, Robots(client, manners, settings, hosts))

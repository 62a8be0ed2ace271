"""Fetching from the web: one client, an address guard, robots.txt and manners for each host."""

from __future__ import annotations

from tearsheet.fetch.client import Client
from tearsheet.fetch.model import ERROR_KINDS, FetchError, FetchRequest, FetchResponse
from tearsheet.fetch.robots import Robots
from tearsheet.fetch.store import HostStore
from tearsheet.fetch.turns import HostBusy, HostFailing, Manners

__all__ = [
    "ERROR_KINDS",
    "Client",
    "FetchError",
    "FetchRequest",
    "FetchResponse",
    "HostBusy",
    "HostFailing",
    "HostStore",
    "Manners",
    "Robots",
]

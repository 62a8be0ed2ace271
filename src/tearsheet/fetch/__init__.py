"""Fetching from the web: one client, an address guard, robots.txt and manners for each host."""

from __future__ import annotations

from tearsheet.fetch.client import Client
from tearsheet.fetch.model import ERROR_KINDS, FetchError, FetchRequest, FetchResponse

__all__ = ["ERROR_KINDS", "Client", "FetchError", "FetchRequest", "FetchResponse"]

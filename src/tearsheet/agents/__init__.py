"""The server for agents: what a data folder holds, as tools of the Model Context Protocol (MCP)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

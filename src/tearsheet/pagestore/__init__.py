"""The dated page store: pages and feeds by day, in folders that need no program to be read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

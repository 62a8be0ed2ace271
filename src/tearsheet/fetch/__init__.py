"""Fetching from the web: one client, an address guard, robots.txt, and good manners towards each host."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

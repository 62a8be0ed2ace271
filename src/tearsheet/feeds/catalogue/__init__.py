"""The catalogue: sources, collections and feeds as people keep them; lists in and out, discovery, gaps in coverage."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

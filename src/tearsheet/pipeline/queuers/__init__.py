"""Queuers: the beginning of each pipeline. One module for each kind of input."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Snapshots of a topic: frozen stories and links, the figures of each timespan, maps and exports."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

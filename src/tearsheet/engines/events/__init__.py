"""Append-only topics that groups read: JSON lines in a folder, or Kafka."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

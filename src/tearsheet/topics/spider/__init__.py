"""The spider: follows links from the seeds to stories, and decides which of them belong to the topic."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

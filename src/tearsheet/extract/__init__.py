"""Parses a page once: text, title, date, language, links and whatever else a story needs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

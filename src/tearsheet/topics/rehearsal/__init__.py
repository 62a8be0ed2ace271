"""Judging random matches of a topic by hand: how precise its query is, and which words tell the wrong ones from the right ones."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

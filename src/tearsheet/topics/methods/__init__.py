"""How a topic came about, kept with each snapshot, and the paragraph on methods that is made from it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

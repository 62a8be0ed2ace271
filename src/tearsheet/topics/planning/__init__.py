"""What a topic will come to before it is run: its clauses, and an estimate from a sample."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

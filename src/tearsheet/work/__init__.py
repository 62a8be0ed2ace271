"""What runs stages: outcomes, workers, process pools, the supervisor, the ledger, water marks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""The demo newsroom: a small web of invented news sites, served from this machine. It is the test suite's web too."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

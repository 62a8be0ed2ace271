"""Where settings, engines and parts meet. The command line and the web parse, call what is here, and show it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Lists of names, each kept once: months, time zones, languages, shorteners, parts of addresses, sites that publish no news."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

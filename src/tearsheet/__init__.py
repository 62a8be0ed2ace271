"""Tearsheet: collect the news, keep proof of every page, search it, and map how a topic spreads.

What programs and notebooks use is in `__init__.pyi`, and loaded when it is first used; `docs/reference/python.md` describes it.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

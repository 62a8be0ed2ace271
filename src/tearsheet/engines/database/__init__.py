"""Tables: SQLite, or PostgreSQL. One schema and one set of statements for both."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""HTML ingest: captures one web document whole, and describes it as JSON that a catalogue can import."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

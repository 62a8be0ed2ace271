"""The engines: database, broker, index, blobs, events. Each has a port, an opener and adapters.

Each port has one embedded adapter, which needs no server, and others for servers at scale. An adapter is correct when the
contract suite of its port (`tests/engines/`) passes against it, unchanged.

The broker is asynchronous, because workers wait on it; the others are plain calls, to be made from a thread where blocking
would hurt. Adapters raise `tearsheet.errors.EngineError` when their server is down or refuses us, and ride out short
outages with growing pauses before they do.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

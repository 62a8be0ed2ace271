"""The index of stories: tantivy, or OpenSearch and Elasticsearch. All give the same counts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

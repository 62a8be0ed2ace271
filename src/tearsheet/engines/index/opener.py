"""Which index the setting `engines.index` names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tearsheet.engines.index.port import Index
from tearsheet.engines.location import local_path, scheme_of
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import ConfigError, UsageError


def open_index(url: str, data: Path, patience: float = PATIENCE_SECONDS) -> Index:
    """Open the index. Any number of processes may read it; the first that adds a story becomes the one that writes.

    `patience` is how many seconds to wait for a server that is down.
    """
    scheme = scheme_of(url)
    if scheme == "tantivy":
        from tearsheet.engines.index.tantivy import TantivyIndex

        return TantivyIndex(local_path(url, data))
    if scheme in ("opensearch", "opensearchs", "elasticsearch", "elasticsearchs"):
        from tearsheet.engines.index.search_server import open_search_server

        return open_search_server(url, patience)
    raise ConfigError(
        f"engines.index: unknown engine {scheme!r}; use tantivy:///FOLDER, opensearch://… or elasticsearch://…"
    )


def rebuild_words(url: str, data: Path, progress: Callable[[int], None] | None = None) -> int:
    """Rebuild the embedded index, damaged or not, from the stories stored beside it. Returns how many stories there are."""
    if scheme_of(url) != "tantivy":
        raise UsageError("only the embedded index has words to rebuild; a search server looks after its own")
    from tearsheet.engines.index import tantivy_words

    return tantivy_words.rebuild_words(local_path(url, data), progress)

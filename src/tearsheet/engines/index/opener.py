"""Which index the setting `engines.index` names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tearsheet.engines.index.deadline import QUERY_SECONDS
from tearsheet.engines.index.life_cycle import LifeCycle
from tearsheet.engines.index.port import Index
from tearsheet.engines.location import engine_of, is_embedded, local_path
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import UsageError

_SETTING = "engines.index"
_ENGINES = "tantivy:///FOLDER opensearch://HOST/ALIAS opensearchs://… elasticsearch://HOST/ALIAS elasticsearchs://…"


def url_for_topics(url: str) -> str:
    """Where the stories of topics are indexed, beside what was collected: in a folder inside, or under an alias of their own."""
    if is_embedded(url):
        return f"{url.rstrip('/')}/topics"
    from tearsheet.engines.index.search_server import DEFAULT_ALIAS

    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/topics-of-{parts.path.strip('/') or DEFAULT_ALIAS}"))


def open_index(
    url: str,
    data: Path,
    patience: float = PATIENCE_SECONDS,
    query_seconds: float = QUERY_SECONDS,
    life: LifeCycle = LifeCycle(),
) -> Index:
    """Open the index. Any number of processes may read it; the first that adds a story becomes the one that writes.

    `patience` is how many seconds to wait for a server that is down. A question that takes longer than `query_seconds`
    is stopped with TooSlow; 0 means that none is. `life` is for search servers.
    """
    if engine_of(url, _SETTING, _ENGINES) == "tantivy":
        from tearsheet.engines.index.tantivy import TantivyIndex

        return TantivyIndex(local_path(url, data, _SETTING), query_seconds=query_seconds)
    from tearsheet.engines.index.search_server import open_search_server

    return open_search_server(url, patience, query_seconds, life)


def rebuild_words(url: str, data: Path, progress: Callable[[int], None] | None = None) -> int:
    """Rebuild the embedded index, damaged or not, from the stories stored beside it. Returns how many stories there are."""
    if not is_embedded(url):
        raise UsageError("only the embedded index has words to rebuild; a search server looks after its own")
    from tearsheet.engines.index import tantivy_words

    return tantivy_words.rebuild_words(local_path(url, data, _SETTING), progress)

"""Every document of an index on a search server as it is stored there, also of an index that another program filled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tearsheet.engines.index.search_server_clients import PORTS, Patient, Refused, client_for
from tearsheet.engines.server import PATIENCE_SECONDS, parse_server_url
from tearsheet.errors import EngineError, NotFoundError

_PAGE = 500
_KEEP_ALIVE = "10m"
Document = tuple[str, dict[str, Any]]
"""The `_id` and the `_source`."""


def server_documents(url: str, patience: float = PATIENCE_SECONDS) -> Iterator[Document]:
    """The documents of `opensearch://HOST:PORT/INDEX` or `elasticsearch://HOST:PORT/INDEX`, an alias or a pattern with a `*` too.

    Nothing is written there. Raises NotFoundError when there is no such index, EngineError when it cannot be read to its end.
    """
    server = parse_server_url(url, "the index to copy", PORTS)
    name = server.path.strip("/")
    if not name:
        raise NotFoundError(
            f"name the index to copy, as in {server.scheme}://{server.host_in_url}:{server.port}/mc_search"
        )
    client = client_for(server)
    ask = Patient(client, patience).ask
    scroll = ""
    try:
        answer = ask("POST", f"/{name}/_search", {"scroll": _KEEP_ALIVE}, {"size": _PAGE, "sort": ["_doc"]})
        while hits := _hits(answer):
            scroll = answer["_scroll_id"]
            yield from ((hit["_id"], hit["_source"]) for hit in hits)
            answer = ask("POST", "/_search/scroll", None, {"scroll": _KEEP_ALIVE, "scroll_id": scroll})
    except Refused as error:
        if error.status == 404 and not scroll:
            raise NotFoundError(f"{client.name} has no index {name!r}") from error
        raise
    finally:
        if scroll:
            with suppress(EngineError):  # it expires by itself
                ask("DELETE", "/_search/scroll", None, {"scroll_id": [scroll]})
        client.close()


def _hits(answer: Any) -> list[dict[str, Any]]:
    shards = answer["_shards"]
    if shards["failed"]:
        raise EngineError(
            f"{shards['failed']} of {shards['total']} parts of the index could not be read; copy it again later"
        )
    hits: list[dict[str, Any]] = answer["hits"]["hits"]
    return hits

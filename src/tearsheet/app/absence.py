"""Why a story is not there: what the index, the list of erased addresses, the ledger and the sources know of an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tearsheet.app.services import Services
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import find_source
from tearsheet.urls import canonical_domain, url_hash
from tearsheet.work import DONE, Explanation


class Known(Enum):
    """What is known of an address."""

    PRESENT = "the story is in the index"
    ERASED = "the story was erased, and is kept away"
    LEFT_OUT = "the story was met and is not in the index; the last step says why"
    UNDER_WAY = "the story is on its way: no step has ended it yet"
    UNSEEN = "no feed or file has brought this address, as far as is remembered, though its source is known here"
    NO_SOURCE = "nothing has brought this address, as far as is remembered, and no source of its domain is known here"


@dataclass(slots=True, frozen=True)
class Absence:
    """Why a story is not there, or that it is."""

    known: Known
    index_id: str
    """The id that its address has in the index; of a link that was redirected, that of the story."""
    steps: list[Explanation] = field(default_factory=list)
    """What each stage did with it, in order of time."""


def absence_of(services: Services, address: str) -> Absence:
    """What is known of the story at an address, as it was queued or found. Raises BadURL."""
    index_id, domain = url_hash(address), canonical_domain(address)
    if services.index.get([index_id])[0] is not None:
        return Absence(Known.PRESENT, index_id)
    if services.erased.covers(address):
        return Absence(Known.ERASED, index_id)
    steps = services.ledger.explain(address)
    if steps:
        found = services.index.get([url_hash(steps[-1].url)])[0] if steps[-1].url != address else None
        if found is not None:  # the link was redirected
            return Absence(Known.PRESENT, found.id, steps)
        known = Known.UNDER_WAY if steps[-1].status == DONE else Known.LEFT_OUT
        return Absence(known, index_id, steps)
    try:
        find_source(services.database, domain)
    except NotFoundError:
        return Absence(Known.NO_SOURCE, index_id)
    return Absence(Known.UNSEEN, index_id)

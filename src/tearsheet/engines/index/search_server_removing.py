"""Removing stories from a search server, so that their words do not stay in its segments.

A deleted story stays in its segment until that is merged, and some seconds longer: a server remembers for its replicas what was
deleted, and tells itself twice a minute how far all of them are. So segments are merged, whatever share of them is deleted, until
nothing is left. An index that is closed to writing is opened for it and closed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tearsheet.chunks import chunks
from tearsheet.engines.index.search_server_clients import Patient
from tearsheet.errors import BusyError, EngineError

_CHUNK = 500
_MERGE_SECONDS = 3600.0
_PAUSE_SECONDS = 5.0
_TRIES = 24


def remove_stories(patient: Patient, indices: Mapping[str, bool], ids: Sequence[str]) -> int:
    """Delete stories by id; returns how many there were. `indices` says of each whether it is written to."""
    removed = 0
    for name, is_written in sorted(indices.items()):
        patient.ask("POST", f"/{name}/_refresh")
        with _writable(patient, name, is_written):
            removed += sum(_delete(patient, name, chunk) for chunk in chunks(ids, _CHUNK))
    return removed


def drop_removed(patient: Patient, indices: Mapping[str, bool]) -> None:
    """Merge segments until none holds a deleted story. Raises BusyError when the server keeps one for longer."""
    for name, is_written in sorted(indices.items()):
        if _deleted(patient, name):
            with _writable(patient, name, is_written):
                _merge(patient, name)


@contextmanager
def _writable(patient: Patient, index: str, is_written: bool) -> Iterator[None]:
    _set_blocked(patient, index, False)
    try:
        yield
    finally:
        if not is_written:
            _set_blocked(patient, index, True)


def _set_blocked(patient: Patient, index: str, blocked: bool) -> None:
    patient.ask("PUT", f"/{index}/_settings", None, {"index.blocks.write": True if blocked else None})


def _delete(patient: Patient, index: str, ids: Sequence[str]) -> int:
    body = {"query": {"ids": {"values": list(ids)}}}
    answer = patient.ask("POST", f"/{index}/_delete_by_query", {"refresh": "true", "conflicts": "proceed"}, body)
    left = answer.get("failures") or answer.get("version_conflicts")
    if left:
        raise EngineError(f"{patient.client.name} did not delete all stories from {index}: try again ({left!r:.200})")
    return int(answer["deleted"])


def _merge(patient: Patient, index: str) -> None:
    patient.ask("PUT", f"/{index}/_settings", None, {"index.merge.policy.expunge_deletes_allowed": 0})
    for _ in range(_TRIES):
        patient.ask("POST", f"/{index}/_flush", {"force": "true", "wait_if_ongoing": "true"})
        patient.ask("POST", f"/{index}/_forcemerge", {"only_expunge_deletes": "true"}, None, _MERGE_SECONDS)
        patient.ask("POST", f"/{index}/_refresh")
        if not _deleted(patient, index):
            return
        patient.sleep(_PAUSE_SECONDS)
    raise BusyError(
        f"{patient.client.name} still keeps what was removed from {index}: are all replicas there? Try again later"
    )


def _deleted(patient: Patient, index: str) -> int:
    return int(patient.ask("GET", f"/{index}/_stats/docs")["_all"]["total"]["docs"]["deleted"])

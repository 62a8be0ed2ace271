"""Removing stories from a search server, so that their words do not stay in its segments.

A deleted story stays in its segment until that is merged. So the segments that have one are merged at once, whatever share of
them is deleted. An index that is closed to writing is opened for it and closed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tearsheet.engines.index.search_server_clients import Patient
from tearsheet.errors import EngineError

_CHUNK = 500
_MERGE_SECONDS = 3600.0


def remove_stories(patient: Patient, indices: Mapping[str, bool], ids: Sequence[str]) -> int:
    """Delete stories by id; returns how many there were. `indices` says of each whether it is written to."""
    removed = 0
    for name, is_written in sorted(indices.items()):
        patient.ask("POST", f"/{name}/_refresh")
        _set_blocked(patient, name, False)
        try:
            removed += sum(_delete(patient, name, chunk) for chunk in _chunks(ids))
            _merge(patient, name)
        finally:
            if not is_written:
                _set_blocked(patient, name, True)
    return removed


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
    """Merge the segments that have deleted stories, and write what is only in the log of operations."""
    patient.ask("PUT", f"/{index}/_settings", None, {"index.merge.policy.expunge_deletes_allowed": 0})
    patient.ask("POST", f"/{index}/_flush", {"force": "true", "wait_if_ongoing": "true"})
    patient.ask("POST", f"/{index}/_forcemerge", {"only_expunge_deletes": "true"}, None, _MERGE_SECONDS)
    patient.ask("POST", f"/{index}/_refresh")


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]

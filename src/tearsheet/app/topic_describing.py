"""The paragraph on methods of a topic: of one of its snapshots, or of the topic as it is while it has none."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.app.services import Services
from tearsheet.topics import Topic
from tearsheet.topics.methods import Record, Result, load_record, methods_paragraph, record_now
from tearsheet.topics.rehearsal import Precision, judgements_of, precision_of, sample_of
from tearsheet.topics.snapshot import Frozen, SnapshotInfo, freeze, list_snapshots, load_snapshot


@dataclass(slots=True, frozen=True)
class Description:
    """How a topic came about, and the paragraph that says so."""

    paragraph: str
    record: Record
    result: Result
    precision: Precision


def describe_topic(services: Services, topic: Topic, snapshot: int | None) -> Description:
    """Describe a snapshot; the newest one when none is named. Raises NotFoundError for one that is not there."""
    database = services.database
    taken = list_snapshots(database, topic.id)
    info, frozen, kept = None, None, None
    if taken or snapshot is not None:
        frozen = load_snapshot(database, topic, snapshot)
        info = next(one for one in reversed(taken) if snapshot in (None, one.id))
        kept = load_record(database, info.id)
    frozen = frozen or freeze(database, topic)
    record = kept or record_now(database, topic, services.settings.topics.max_self_linked)
    result = _result(frozen, info, kept is not None)
    precision = _precision(services, topic, frozen)
    return Description(methods_paragraph(record, result, precision), record, result, precision)


def _result(frozen: Frozen, info: SnapshotInfo | None, has_record: bool) -> Result:
    media = [story.media for story in frozen.stories]
    return Result(
        stories=len(media),
        sources=len(set(media)),
        links=len(frozen.links),
        links_between_sources=sum(media[a] != media[b] for a, b in frozen.links),
        number=info.id if info else None,
        taken_at=info.created_at if info else None,
        digest=info.digest if info else "",
        frozen=has_record,
    )


def _precision(services: Services, topic: Topic, frozen: Frozen) -> Precision:
    """What people have judged up to now of these stories."""
    ids = [story.id for story in frozen.stories]
    judged = judgements_of(services.database, topic.id)
    sample, _ = sample_of(topic.name, ids, judged, 0)
    return precision_of(sample, judged, len(ids))

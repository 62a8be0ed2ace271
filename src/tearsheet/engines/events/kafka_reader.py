"""One group's consumer of one topic in Kafka, and how the client is set up.

A group's offset is what it has committed. Events that were returned and not committed are returned again by the next poll, as
the port says, so the consumer is set back to the committed offset where the two differ.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tearsheet.engines.events.port import Event
from tearsheet.engines.server import ServerUrl, cannot_reach, pauses
from tearsheet.errors import EngineError
from tearsheet.foreign_text import decode_json

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message, TopicPartition

SETTING = "engines.events"
LARGEST_EVENT = 32 << 20
ASK_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.2
_log = logging.getLogger(__name__)
_JOIN_SECONDS = 5.0
"""How long a poll waits to join its group; then it returns nothing, and the next poll goes on waiting."""


class GroupReader:
    """One group's consumer of one topic."""

    def __init__(self, connection: dict[str, Any], topic: str, group: str, server: ServerUrl) -> None:
        from confluent_kafka import Consumer

        self._server = server
        self._topic = topic
        self._due: dict[int, int] = {}
        """By partition: the offset of the next event that is due, and the offset up to which events were returned."""
        self._given: dict[int, int] = {}
        self._assigned = False
        self._mutex = threading.Lock()
        self._consumer: Consumer = Consumer(consumer_settings(connection, group))
        self._consumer.subscribe([topic], on_assign=self._on_assign, on_revoke=self._on_lose, on_lost=self._on_lose)

    def poll(self, limit: int, wait: float, patience: float) -> list[Event]:
        """Returns at once when there are events, after `wait` when there are none. Joining the group does not count as waiting."""
        with self._mutex:
            self._set_back()
            first = self._first(wait, patience)
            if first is None:
                return []
            messages = [first, *self._consumer.consume(limit - 1, 0)] if limit > 1 else [first]
            return [self._give(message) for message in messages if message.error() is None]

    def commit(self, events: Sequence[Event]) -> None:
        """Store the offsets with the group coordinator."""
        from confluent_kafka import KafkaException, TopicPartition

        next_offsets: dict[int, int] = {}
        for event in events:
            partition, offset = (int(part) for part in event.position.split(":"))
            next_offsets[partition] = max(next_offsets.get(partition, 0), offset + 1)
        with self._mutex:
            forward = {part: offset for part, offset in next_offsets.items() if offset > self._due.get(part, -1)}
            if not forward:
                return
            offsets = [TopicPartition(self._topic, part, offset) for part, offset in forward.items()]
            try:
                self._consumer.commit(offsets=offsets, asynchronous=False)
            except KafkaException as error:
                if error.args[0].code() in _lost_membership():
                    # Another member has taken over our partitions: it gets these events again, which the port allows.
                    _log.warning("place not stored, group is changing", extra={"topic": self._topic})
                    return
                raise EngineError(
                    f"{SETTING}: the group's place could not be stored at {self._server.address} ({error.args[0].str()}); "
                    "the events will be given again"
                ) from error
            self._due |= {part: offset for part, offset in forward.items() if part in self._given}

    def close(self) -> None:
        """Leave the group, so that others take over at once."""
        with self._mutex:
            self._consumer.close()

    def _give(self, message: Message) -> Event:
        partition, offset = _position_of(message)
        self._due.setdefault(partition, offset)
        self._given[partition] = offset + 1
        return event_of(message)

    def _first(self, wait: float, patience: float) -> Message | None:
        deadline = time.monotonic() + wait
        join_until = time.monotonic() + _JOIN_SECONDS
        while True:
            # When joining with no time to wait, a short sleep in the client keeps us from spinning.
            least = 0.0 if self._assigned else 0.02
            message = self._consumer.poll(max(least, min(LOOK_AGAIN_SECONDS, deadline - time.monotonic())))
            if message is not None and message.error() is None:
                return message
            now = time.monotonic()
            if self._assigned:
                if now >= deadline and not self._is_behind():
                    return None
            elif now < join_until:
                deadline = now + wait
            elif now >= deadline:
                self._check_reachable(patience)
                return None

    def _check_reachable(self, patience: float) -> None:
        """We are not in the group yet: either it is still rebalancing, which passes, or the server does not answer."""
        from confluent_kafka import KafkaException

        try:
            self._consumer.list_topics(self._topic, timeout=patience)
        except KafkaException as error:
            raise cannot_reach(self._server, "event log") from error

    def _is_behind(self) -> bool:
        """Whether the log has events that the client has not fetched yet."""
        from confluent_kafka import KafkaException

        try:
            for position in self._consumer.position(self._consumer.assignment()):
                low, high = offsets_of(self._consumer, position, ASK_SECONDS)
                start = position.offset if position.offset >= 0 else self._committed(position, low)
                if max(start, low) < high:
                    return True
        except KafkaException as error:
            raise cannot_reach(self._server, "event log") from error
        return False

    def _committed(self, position: Any, low: int) -> int:
        (stored,) = self._consumer.committed([position], timeout=ASK_SECONDS)
        return int(stored.offset) if stored.offset >= 0 else low

    def _set_back(self) -> None:
        """Events that were returned and not committed are due again."""
        from confluent_kafka import TopicPartition

        for partition, given in list(self._given.items()):
            if self._due[partition] < given:
                self._consumer.seek(TopicPartition(self._topic, partition, self._due[partition]))
                self._given[partition] = self._due[partition]

    def _on_assign(self, _: Any, partitions: Sequence[Any]) -> None:
        self._assigned = True

    def _on_lose(self, _: Any, partitions: Sequence[Any]) -> None:
        for position in partitions:
            self._due.pop(position.partition, None)
            self._given.pop(position.partition, None)


def offsets_of(consumer: Consumer, partition: TopicPartition, patience: float) -> tuple[int, int]:
    """The first and the next offset of a partition. One that was just created or moved may have no leader for a moment."""
    from confluent_kafka import KafkaError, KafkaException

    moving = {
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    }
    waits = pauses(patience)
    while True:
        try:
            low, high = consumer.get_watermark_offsets(partition, timeout=ASK_SECONDS)
            return low, high
        except KafkaException as error:
            pause = next(waits, None)
            if pause is None or error.args[0].code() not in moving:
                raise
            time.sleep(pause)


def _lost_membership() -> set[int]:
    from confluent_kafka import KafkaError

    return {KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID, KafkaError.REBALANCE_IN_PROGRESS}


def _position_of(message: Message) -> tuple[int, int]:
    partition, offset = message.partition(), message.offset()
    assert partition is not None and offset is not None, "a message that was consumed has an offset"
    return partition, offset


def event_of(message: Message) -> Event:
    """A message as the port has it; one that is no JSON object, which another program sent, as an event without values.

    It cannot be refused: it would be given again, and nothing behind it would ever be read.
    """
    key, position = message.key() or b"", "{}:{}".format(*_position_of(message))
    try:
        value = decode_json(message.value() or b"{}", dict[str, Any])
    except ValueError as error:
        _log.warning(
            "no event, read as an empty one", extra={"topic": message.topic(), "at": position, "error": str(error)}
        )
        value = {}
    return Event(message.topic() or "", key.decode("utf-8", "replace"), value, position)


def connection_settings(server: ServerUrl) -> dict[str, Any]:
    """What every client of a server is set up with."""
    host = f"[{server.host}]" if ":" in server.host else server.host
    settings: dict[str, Any] = {
        "bootstrap.servers": f"{host}:{server.port}",
        "client.id": "tearsheet",
        "reconnect.backoff.ms": 100,
        "reconnect.backoff.max.ms": 5000,
        "topic.metadata.refresh.interval.ms": 30_000,
        "log_level": 0,
    }
    if server.user:
        settings |= {
            "security.protocol": server.options.get("security", "SASL_SSL"),
            "sasl.mechanisms": server.options.get("mechanism", "SCRAM-SHA-512"),
            "sasl.username": server.user,
            "sasl.password": server.password,
        }
    return settings


def consumer_settings(connection: dict[str, Any], group: str) -> dict[str, Any]:
    """What a consumer is set up with: it commits only what it is told to."""
    return connection | {
        "group.id": group,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 100,
        "fetch.message.max.bytes": LARGEST_EVENT,
        "session.timeout.ms": 10_000,
        "heartbeat.interval.ms": 1_000,
        "max.poll.interval.ms": 3_600_000,
    }

"""Events in Kafka: keyed, compacted, zstd-compressed topics; each key's events stay in order in one partition.

A group's offset is what it has committed. Events that were returned and not committed are returned again by the next poll, as
the port says, so the consumer is set back to the committed offset where the two differ.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tearsheet.engines.events.names import check_name
from tearsheet.engines.events.port import Event, Unerasable
from tearsheet.engines.server import PATIENCE_SECONDS, ServerUrl, cannot_reach, load_client, parse_server_url, pauses
from tearsheet.errors import EngineError, UsageError

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message, Producer, TopicPartition

_log = logging.getLogger(__name__)
_SETTING = "engines.events"
_PARTITIONS = 6
_LARGEST_EVENT = 32 << 20
_ASK_SECONDS = 10.0
_LOOK_AGAIN_SECONDS = 0.2
_JOIN_SECONDS = 5.0
"""How long a poll waits to join its group; then it returns nothing, and the next poll goes on waiting."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def open_kafka_events(url: str, *, patience: float = PATIENCE_SECONDS) -> KafkaEvents:
    """The event log of `kafka://[USER:PASSWORD@]HOST[:PORT]`; with a user, the connection is encrypted (SASL_SSL, SCRAM).

    Options: `?partitions=N` for topics that we create (6), `?security=SASL_PLAINTEXT` for an internal network.
    """
    server = parse_server_url(url, _SETTING, {"kafka": 9092})
    load_client("confluent_kafka", "kafka", _SETTING)
    return KafkaEvents(server, patience)


class KafkaEvents:
    """Topics of one Kafka cluster. The client itself waits out lost connections; we raise an error when patience ends."""

    def __init__(self, server: ServerUrl, patience: float) -> None:
        from confluent_kafka.admin import AdminClient

        self._server = server
        self._patience = patience
        self._connection = _connection(server)
        self._admin = AdminClient(self._connection)
        self._producer: Producer | None = None
        self._readers: dict[tuple[str, str], _Reader] = {}
        self._topics: set[str] = set()
        self._mutex = threading.RLock()

    def publish(self, topic: str, pairs: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append events; returns when every one is confirmed by all replicas in sync."""
        check_name(topic, "topic")
        if not pairs:
            return
        self._ensure_topic(topic)
        failures: list[str] = []

        def delivered(error: Any, _: Any) -> None:
            if error is not None:
                failures.append(error.str())

        producer = self._open_producer()
        for key, value in pairs:
            self._produce(producer, topic, key, _encode(value), delivered)
        left = producer.flush(self._patience + 5)
        if left or failures:
            reason = failures[0] if failures else "no answer"
            raise EngineError(
                f"{_SETTING}: {left + len(failures)} of {len(pairs)} events were not confirmed by {self._server.address} "
                f"({reason}); they may be published again"
            )

    def poll(self, topic: str, group: str, limit: int, wait: float = 0.0) -> list[Event]:
        """The next events after the group's committed offset."""
        check_name(topic, "topic")
        check_name(group, "group")
        if limit <= 0:
            return []
        self._ensure_topic(topic)
        with self._mutex:
            reader = self._readers.get((topic, group))
            if reader is None:
                reader = _Reader(self._connection, topic, group, self._server)
                self._readers[topic, group] = reader
        return reader.poll(limit, wait, self._patience)

    def commit(self, group: str, events: Sequence[Event]) -> None:
        """Move the group's offsets past these events, never back."""
        for topic in {event.topic for event in events}:
            reader = self._readers.get((topic, group))
            if reader is None:
                raise UsageError(f"group {group!r} commits events of topic {topic!r}, which it has not read")
            reader.commit([event for event in events if event.topic == topic])

    def erase(self, topic: str, unwanted: Callable[[Event], bool]) -> int:
        """Kafka removes no single events. Raises Unerasable when there is an unwanted one."""
        if any(unwanted(Event(topic, key, value, "")) for key, value in self.latest(topic).items()):
            raise Unerasable(
                f"Kafka removes no single events: the topic {topic} has them until a later one takes their key, or it is deleted"
            )
        return 0

    def latest(self, topic: str) -> dict[str, Mapping[str, Any]]:
        """The newest value of each key: the topic is read from its start to its current end."""
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        check_name(topic, "topic")
        self._ensure_topic(topic)
        consumer = Consumer(_consumer_settings(self._connection, f"latest-{topic}"))
        found: dict[str, Mapping[str, Any]] = {}
        try:
            partitions = consumer.list_topics(topic, timeout=_ASK_SECONDS).topics[topic].partitions
            ends: dict[int, int] = {}
            for number in partitions:
                low, high = _offsets(consumer, TopicPartition(topic, number), self._patience)
                if low < high:
                    ends[number] = high
            consumer.assign([TopicPartition(topic, number, 0) for number in ends])
            deadline = time.monotonic() + self._patience
            while ends:
                for message in consumer.consume(500, _LOOK_AGAIN_SECONDS):
                    if message.error() is None:
                        event = _event(message)
                        found[event.key] = event.value
                        deadline = time.monotonic() + self._patience
                for position in consumer.position([TopicPartition(topic, number) for number in ends]):
                    if position.offset >= ends[position.partition]:
                        del ends[position.partition]
                if time.monotonic() > deadline:
                    raise cannot_reach(self._server, "event log")
        except KafkaException as error:
            raise self._explain(error) from error
        finally:
            consumer.close()
        return found

    def close(self) -> None:
        """Send what is pending, leave the groups and disconnect."""
        with self._mutex:
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
            if self._producer is not None:
                self._producer.flush(self._patience)
                self._producer = None

    def _open_producer(self) -> Producer:
        from confluent_kafka import Producer

        with self._mutex:
            if self._producer is None:
                self._producer = Producer(
                    self._connection
                    | {
                        "enable.idempotence": True,
                        "acks": "all",
                        "compression.type": "zstd",
                        "linger.ms": 5,
                        "message.max.bytes": _LARGEST_EVENT,
                        "message.timeout.ms": int(self._patience * 1000),
                    }
                )
            return self._producer

    def _produce(self, producer: Producer, topic: str, key: str, value: bytes, delivered: Any) -> None:
        from confluent_kafka import KafkaException

        while True:
            try:
                producer.produce(topic, value, key.encode(), on_delivery=delivered)
                producer.poll(0)
                return
            except BufferError:
                producer.poll(0.5)  # the client's own queue is full: let it send some
            except KafkaException as error:
                raise self._explain(error) from error

    def _ensure_topic(self, topic: str) -> None:
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.cimpl import NewTopic

        if topic in self._topics:
            return
        partitions = int(self._server.options.get("partitions", _PARTITIONS))
        config = {"cleanup.policy": "compact", "compression.type": "zstd", "max.message.bytes": str(_LARGEST_EVENT)}
        wanted = NewTopic(topic, num_partitions=partitions, replication_factor=-1, config=config)
        try:
            if topic not in self._admin.list_topics(timeout=self._patience).topics:
                self._admin.create_topics([wanted], operation_timeout=_ASK_SECONDS)[topic].result(self._patience)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise self._explain(error) from error
        self._topics.add(topic)

    def _explain(self, error: Exception) -> EngineError:
        from confluent_kafka import KafkaError

        cause = error.args[0] if error.args else None
        if isinstance(cause, KafkaError):
            if cause.code() in (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED):
                return EngineError(
                    f"{_SETTING}: the event log at {self._server.address} refuses the user or password; check this setting"
                )
            if cause.code() not in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT):
                return EngineError(f"{_SETTING}: the event log at {self._server.address} says: {cause.str()}")
        return cannot_reach(self._server, "event log")


class _Reader:
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
        self._consumer: Consumer = Consumer(_consumer_settings(connection, group))
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
                    f"{_SETTING}: the group's place could not be stored at {self._server.address} ({error.args[0].str()}); "
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
        return _event(message)

    def _first(self, wait: float, patience: float) -> Message | None:
        deadline = time.monotonic() + wait
        join_until = time.monotonic() + _JOIN_SECONDS
        while True:
            # When joining with no time to wait, a short sleep in the client keeps us from spinning.
            least = 0.0 if self._assigned else 0.02
            message = self._consumer.poll(max(least, min(_LOOK_AGAIN_SECONDS, deadline - time.monotonic())))
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
                low, high = _offsets(self._consumer, position, _ASK_SECONDS)
                start = position.offset if position.offset >= 0 else self._committed(position, low)
                if max(start, low) < high:
                    return True
        except KafkaException as error:
            raise cannot_reach(self._server, "event log") from error
        return False

    def _committed(self, position: Any, low: int) -> int:
        (stored,) = self._consumer.committed([position], timeout=_ASK_SECONDS)
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


def _offsets(consumer: Consumer, partition: TopicPartition, patience: float) -> tuple[int, int]:
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
            low, high = consumer.get_watermark_offsets(partition, timeout=_ASK_SECONDS)
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


def _event(message: Message) -> Event:
    key, value = message.key() or b"", message.value() or b"{}"
    partition, offset = _position_of(message)
    return Event(message.topic() or "", key.decode(), _decode(value), f"{partition}:{offset}")


def _connection(server: ServerUrl) -> dict[str, Any]:
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


def _consumer_settings(connection: dict[str, Any], group: str) -> dict[str, Any]:
    return connection | {
        "group.id": group,
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 100,
        "fetch.message.max.bytes": _LARGEST_EVENT,
        "session.timeout.ms": 10_000,
        "heartbeat.interval.ms": 1_000,
        "max.poll.interval.ms": 3_600_000,
    }

"""Events in Kafka: keyed, compacted, zstd-compressed topics; each key's events stay in order in one partition.

`kafka_reader` reads them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tearsheet.engines.events.kafka_reader import (
    ASK_SECONDS,
    LARGEST_EVENT,
    LOOK_AGAIN_SECONDS,
    SETTING,
    GroupReader,
    connection_settings,
    consumer_settings,
    event_of,
    offsets_of,
)
from tearsheet.engines.events.names import check_name
from tearsheet.engines.events.port import Event, Unerasable
from tearsheet.engines.server import PATIENCE_SECONDS, ServerUrl, cannot_reach, load_client, parse_server_url
from tearsheet.errors import EngineError, UsageError

if TYPE_CHECKING:
    from confluent_kafka import Producer

_PARTITIONS = 6
_encode = msgspec.json.Encoder().encode


def open_kafka_events(url: str, *, patience: float = PATIENCE_SECONDS) -> KafkaEvents:
    """The event log of `kafka://[USER:PASSWORD@]HOST[:PORT]`; with a user, the connection is encrypted (SASL_SSL, SCRAM).

    Options: `?partitions=N` for topics that we create (6), `?security=SASL_PLAINTEXT` for an internal network.
    """
    server = parse_server_url(url, SETTING, {"kafka": 9092})
    load_client("confluent_kafka", "kafka", SETTING)
    return KafkaEvents(server, patience)


class KafkaEvents:
    """Topics of one Kafka cluster. The client itself waits out lost connections; we raise an error when patience ends."""

    def __init__(self, server: ServerUrl, patience: float) -> None:
        from confluent_kafka.admin import AdminClient

        self._server = server
        self._patience = patience
        self._connection = connection_settings(server)
        self._admin = AdminClient(self._connection)
        self._producer: Producer | None = None
        self._readers: dict[tuple[str, str], GroupReader] = {}
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
                f"{SETTING}: {left + len(failures)} of {len(pairs)} events were not confirmed by {self._server.address} "
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
                reader = GroupReader(self._connection, topic, group, self._server)
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
        consumer = Consumer(consumer_settings(self._connection, f"latest-{topic}"))
        found: dict[str, Mapping[str, Any]] = {}
        try:
            partitions = consumer.list_topics(topic, timeout=ASK_SECONDS).topics[topic].partitions
            ends: dict[int, int] = {}
            for number in partitions:
                low, high = offsets_of(consumer, TopicPartition(topic, number), self._patience)
                if low < high:
                    ends[number] = high
            consumer.assign([TopicPartition(topic, number, 0) for number in ends])
            deadline = time.monotonic() + self._patience
            while ends:
                for message in consumer.consume(500, LOOK_AGAIN_SECONDS):
                    if message.error() is None:
                        event = event_of(message)
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
                        "message.max.bytes": LARGEST_EVENT,
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
        config = {"cleanup.policy": "compact", "compression.type": "zstd", "max.message.bytes": str(LARGEST_EVENT)}
        wanted = NewTopic(topic, num_partitions=partitions, replication_factor=-1, config=config)
        try:
            if topic not in self._admin.list_topics(timeout=self._patience).topics:
                self._admin.create_topics([wanted], operation_timeout=ASK_SECONDS)[topic].result(self._patience)
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
                    f"{SETTING}: the event log at {self._server.address} refuses the user or password; check this setting"
                )
            if cause.code() not in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._TIMED_OUT):
                return EngineError(f"{SETTING}: the event log at {self._server.address} says: {cause.str()}")
        return cannot_reach(self._server, "event log")

"""What RabbitMQ adds to the broker's contract: lost connections, refusals, parts by key, delays that survive a restart."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator

import aio_pika
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.engines.broker import rabbitmq_connecting, rabbitmq_share
from tearsheet.engines.broker.port import Broker, Lease, Message, Output, Settlement
from tearsheet.engines.broker.rabbitmq import RabbitBroker, open_rabbitmq_broker
from tearsheet.engines.broker.rabbitmq_layout import (
    belongs_to,
    delay_name,
    fair_share,
    parse_version,
    part_name,
    prefetch_for,
    rounded_delay,
)
from tearsheet.errors import ConfigError, EngineError
from tests.support.brokers import fresh_vhost, management
from tests.support.cut_off_relay import Relay
from tests.support.patience import PATIENCE
from tests.support.server_errors import one_line, replaced
from tests.support.servers import server_url

rabbitmq = pytest.mark.engine("rabbitmq")


@pytest.fixture
def url(request) -> str:
    return fresh_vhost(request)


@pytest.fixture
def relay(url: str) -> Iterator[Relay]:
    between = Relay(url)
    yield between
    between.close()


def numbered(count: int, queue: str = "q") -> list[Output]:
    return [Output(queue, Message(str(n).encode())) for n in range(count)]


async def drain(broker: Broker, queue: str, wait: float = 1.0) -> list[str]:
    seen: list[str] = []
    while leases := await broker.lease(queue, 50, wait):
        seen += [lease.message.body.decode() for lease in leases]
        await broker.settle([Settlement(lease) for lease in leases])
    return seen


# --------------------------------------------------------------------------------------------------------- pure rules


@given(st.floats(min_value=0.001, max_value=30 * 86400))
def test_a_delay_is_rounded_up_and_by_little(delay: float) -> None:
    seconds = rounded_delay(delay)
    assert delay <= seconds <= max(1, 3 * delay)


@given(st.floats(min_value=0.001, max_value=86400))
def test_delays_use_few_queues(delay: float) -> None:
    assert rounded_delay(delay) in broker_rabbitmq_ladder()


def broker_rabbitmq_ladder() -> tuple[int, ...]:
    from tearsheet.engines.broker.rabbitmq_layout import LADDER

    return LADDER


def test_names_lead_back_to_their_queue() -> None:
    assert belongs_to("parser-in") == ("parser-in", False)
    assert belongs_to(delay_name("parser-in", 60)) == ("parser-in", True)
    assert belongs_to(part_name("fetcher-in", 3)) == ("fetcher-in", False)


@given(st.integers(1, 64), st.integers(0, 64))
def test_fair_shares_cover_all_parts(parts: int, members: int) -> None:
    assert fair_share(parts, members) * max(1, members) >= parts


def test_versions_are_read() -> None:
    assert parse_version("3.10.8") == (3, 10, 8)
    assert parse_version("4.0.0-rc.1") == (4, 0, 0)


# --------------------------------------------------------------------------------------------------------- refusals


def use(url: str, patience: float = 0.5) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(url, patience=patience)
        try:
            await broker.publish(numbered(1))
        finally:
            await broker.close()

    asyncio.run(main())


@rabbitmq
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"password": "wrong"}, "refuses the user or the password"),
        ({"path": "/missing"}, "has no virtual host 'missing'"),
        ({"place": "no-such-host.invalid:1"}, "does not resolve"),
        ({"place": "127.0.0.1:1"}, "does not answer"),
    ],
)
def test_a_refusal_is_one_line(parts, words) -> None:
    with pytest.raises(EngineError, match=words) as error:
        use(replaced(server_url("rabbitmq"), **parts))
    one_line(error, "engines.broker")


@rabbitmq
def test_a_server_that_is_too_old_is_one_line(monkeypatch) -> None:
    monkeypatch.setattr(rabbitmq_connecting, "OLDEST_SERVER", (99, 1))
    with pytest.raises(EngineError, match=r"too old; 99\.1 or newer") as error:
        use(server_url("rabbitmq"))
    one_line(error, "engines.broker")


@rabbitmq
def test_a_full_queue_is_one_line_and_the_original_is_kept(url: str) -> None:
    vhost = url.split("?")[0].rsplit("/", 1)[1]
    limit = {"pattern": "^full$", "definition": {"max-length": 1, "overflow": "reject-publish"}, "apply-to": "queues"}

    async def main() -> None:
        broker = open_rabbitmq_broker(url, patience=5)
        await broker.publish([*numbered(1, "full"), *numbered(1, "source")])
        await asyncio.to_thread(management, f"/api/policies/{vhost}/limit", "PUT", json.dumps(limit))
        (lease,) = await broker.lease("source", 1, wait=5)
        with pytest.raises(EngineError, match="the queue is full") as error:
            for _ in range(200):  # a limit is approximate: some get in first
                await broker.publish([Output("full", Message(b"more"))])
        one_line(error, "engines.broker")
        with pytest.raises(EngineError, match="the queue is full"):
            for _ in range(20):
                await broker.settle([Settlement(lease, (Output("full", lease.message),))])
        await broker.close()
        again = open_rabbitmq_broker(url, patience=5)
        assert await drain(again, "source", 5) == ["0"]
        await again.close()

    asyncio.run(main())


def test_a_wrong_number_in_the_url_names_the_setting() -> None:
    with pytest.raises(ConfigError, match=r"engines\.broker"):
        open_rabbitmq_broker("amqp://host/vhost?parts=many")


# ------------------------------------------------------------------------------------------------------------ prefetch


@pytest.mark.parametrize(("wanted", "expected"), [(1, 16), (16, 16), (17, 32), (500, 512), (10**6, 65_535)])
def test_a_consumer_is_sent_about_as_much_as_it_is_to_lease(wanted: int, expected: int) -> None:
    assert prefetch_for(wanted) == expected


@rabbitmq
def test_whoever_holds_many_messages_is_sent_few_ahead_of_time_also_when_all_are_settled(url: str) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(url, patience=20)
        await broker.publish(numbered(400))
        for _ in range(2):
            held: list[Lease] = []
            while len(held) < 160:
                held += await broker.lease("q", 16, wait=5)
                await broker.depths()  # a round trip, in which more could have been sent
                assert broker._link is not None
                assert len(broker._link.inboxes["q"].waiting) <= 16
            await broker.settle([Settlement(lease.bare()) for lease in held])
        await broker.close()

    asyncio.run(main())


# --------------------------------------------------------------------------------------------------- lost connections


def test_a_connection_that_failed_to_open_is_closed_and_not_left_to_the_garbage_collector() -> None:
    """Which may run in another thread, where the client cannot close it and warns about a coroutine that nobody awaits."""

    async def main() -> list[object]:
        broker = open_rabbitmq_broker("amqp://tearsheet:secret@127.0.0.1:1/", patience=0)
        with pytest.raises(EngineError):
            await broker.publish(numbered(1))
        left: list[object] = [
            some for some in gc.get_objects() if isinstance(some, aio_pika.Connection) and not some.is_closed
        ]
        await broker.close()
        return left

    assert asyncio.run(main()) == []


@rabbitmq
def test_a_lost_connection_is_waited_out_and_what_was_held_comes_back(relay: Relay) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(relay.url, patience=20)
        await broker.publish(numbered(10))
        held = await broker.lease("q", 4, wait=5)
        await asyncio.to_thread(relay.cut_for, 1.0)
        await broker.publish([Output("q", Message(b"after"))])
        # What was held when the connection went is not ours any more: settling it must not lose or copy it.
        await broker.settle([Settlement(lease, (Output("other", lease.message),)) for lease in held])
        seen = await drain(broker, "q", 3)
        assert sorted(seen) == sorted([*map(str, range(10)), "after"])
        assert await broker.lease("other", 1) == []
        await broker.close()

    asyncio.run(main())


@rabbitmq
def test_a_waiting_consumer_survives_a_lost_connection(relay: Relay) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(relay.url, patience=20)
        waiting = asyncio.create_task(broker.lease("q", 1, wait=30))
        await asyncio.sleep(0.5)
        await asyncio.to_thread(relay.cut_for, 0.5)
        await broker.publish(numbered(1))
        assert [lease.message.body for lease in await waiting] == [b"0"]
        await broker.close()

    asyncio.run(main())


@rabbitmq
def test_cuts_while_forwarding_lose_nothing(relay: Relay) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(relay.url, patience=30)
        await broker.publish(numbered(400, "a"))
        seen: list[str] = []

        async def forward() -> None:
            while leases := await broker.lease("a", 10, wait=1):
                await broker.settle([Settlement(lease, (Output("b", lease.message),)) for lease in leases])

        async def cut() -> None:
            for _ in range(4):
                await asyncio.sleep(0.3)
                await asyncio.to_thread(relay.cut)
                await asyncio.to_thread(relay.restore)

        await asyncio.gather(forward(), cut())
        await forward()
        seen = await drain(broker, "b", 1)
        assert set(seen) == {str(n) for n in range(400)}
        await broker.close()

    asyncio.run(main())


@rabbitmq
def test_a_queue_that_somebody_deletes_is_made_again(url: str) -> None:
    async def main() -> None:
        one, two = open_rabbitmq_broker(url, patience=5), open_rabbitmq_broker(url, patience=5)
        await one.publish(numbered(1))
        assert await two.delete("q") == 1
        await one.publish(numbered(2))
        assert await drain(one, "q", 2) == ["0", "1"]
        assert await two.delete("q") == 0  # while one consumes it, which the server tells one
        async with asyncio.timeout(PATIENCE):
            while one._link is None or "q" in one._link.inboxes:
                await asyncio.sleep(0.05)
        await two.publish(numbered(3))
        assert await drain(one, "q", 2) == ["0", "1", "2"]
        await two.close()
        await one.close()

    asyncio.run(main())


# ------------------------------------------------------------------------------------------------------ parts by key


def parts_of(broker: RabbitBroker, queue: str) -> set[str]:
    assert broker._link is not None
    return set(broker._link.inboxes[queue].consumers)


async def until_shared(brokers: list[RabbitBroker], each: int) -> None:
    """Let everybody look at the queue until the parts are dealt out."""
    async with asyncio.timeout(30):
        while True:
            for broker in brokers:
                await broker.lease("q", 1, wait=0.05)
            if all(len(parts_of(broker, "q")) == each for broker in brokers):
                return


@rabbitmq
def test_a_divided_queue_gives_each_key_to_one_consumer(url: str, monkeypatch) -> None:
    monkeypatch.setattr(rabbitmq_share, "LOOK_SECONDS", 0.1)

    async def main() -> None:
        one, two = (open_rabbitmq_broker(url + "&parts=6", partitioned=("q",), patience=10) for _ in range(2))
        await until_shared([one], 6)
        await until_shared([one, two], 3)
        assert not parts_of(one, "q") & parts_of(two, "q")
        outputs = [Output("q", Message(b"%d" % n, {}, f"host{n % 40}.example")) for n in range(400)]
        await one.publish(outputs)
        keys: dict[int, set[str]] = {0: set(), 1: set()}
        seen: list[bytes] = []
        async with asyncio.timeout(60):
            while len(seen) < 400:
                for number, broker in enumerate((one, two)):
                    leases = await broker.lease("q", 20, wait=0.2)
                    keys[number] |= {lease.message.key for lease in leases}
                    seen += [lease.message.body for lease in leases]
                    await broker.settle([Settlement(lease) for lease in leases])
        assert len(set(seen)) == 400
        assert keys[0] and keys[1]
        assert not keys[0] & keys[1]
        assert (await one.depths()).keys() == {"q"}
        await one.close()
        await until_shared([two], 6)
        await two.close()

    asyncio.run(main())


@rabbitmq
def test_a_divided_queue_keeps_delayed_and_purged_messages_together(url: str) -> None:
    async def main() -> None:
        broker = open_rabbitmq_broker(url + "&parts=3", partitioned=("q",), patience=10)
        await broker.publish([Output("q", Message(b"%d" % n, {}, f"host{n}"), delay=0.1 * (n % 2)) for n in range(20)])
        assert sorted(await drain(broker, "q", 4)) == sorted(map(str, range(20)))
        await broker.publish(numbered(3))
        assert await broker.purge("q") == 3
        await broker.publish(numbered(3))
        assert await broker.delete("q") == 3
        assert "q" not in await broker.depths()
        await broker.close()

    asyncio.run(main())

"""The contract of the broker port. Every adapter runs this suite, unchanged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from tearsheet.engines.broker.port import Broker, Depth, Lease, Message, Output, Settlement
from tests.support.brokers import BROKERS, BrokerHarness


@pytest.fixture(params=BROKERS, ids=lambda harness: harness.name)
def harness(request, tmp_path) -> BrokerHarness:
    kind: BrokerHarness = request.param
    return kind.prepared(request, tmp_path)


@asynccontextmanager
async def opened(harness: BrokerHarness) -> AsyncIterator[Broker]:
    broker = await harness.open()
    try:
        yield broker
    finally:
        await broker.close()


def run(harness: BrokerHarness, scenario: Callable[[Broker], Awaitable[None]]) -> None:
    async def main() -> None:
        async with opened(harness) as broker:
            await scenario(broker)

    asyncio.run(main())


def msg(text: str, **headers: str | int | float) -> Message:
    return Message(text.encode(), dict(headers))


async def bodies(broker: Broker, queue: str, limit: int = 100) -> list[str]:
    return [lease.message.body.decode() for lease in await broker.lease(queue, limit, wait=5)]


def test_messages_come_in_order_with_headers_and_key(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish(
            [Output("q", Message(b"one", {"retries": 2, "what": "x"}, "host.example")), Output("q", msg("two"))]
        )
        leases = await broker.lease("q", 10, wait=5)
        assert [lease.message for lease in leases] == [
            Message(b"one", {"retries": 2, "what": "x"}, "host.example"),
            msg("two"),
        ]
        assert [lease.queue for lease in leases] == ["q", "q"]

    run(harness, scenario)


def test_a_leased_message_is_not_given_twice(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg(str(n))) for n in range(5)])
        first = await bodies(broker, "q", 3)
        second = await bodies(broker, "q", 3)
        assert sorted(first + second) == ["0", "1", "2", "3", "4"]
        assert await broker.lease("q", 3) == []

    run(harness, scenario)


def test_settling_forwards_to_several_queues_and_forgets_the_original(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("a", msg("x"))])
        (lease,) = await broker.lease("a", 1, wait=5)
        await broker.settle([Settlement(lease, (Output("b", msg("x1")), Output("c", msg("x2"))))])
        assert await bodies(broker, "b") == ["x1"]
        assert await bodies(broker, "c") == ["x2"]
        assert (await broker.depths())["a"] == Depth()

    run(harness, scenario)


def test_settling_without_outputs_is_the_end(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("x"))])
        (lease,) = await broker.lease("q", 1, wait=5)
        await broker.settle([Settlement(lease)])
        assert await broker.lease("q", 1) == []

    run(harness, scenario)


def test_a_delayed_message_comes_back_after_its_delay_with_new_headers(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("x"))])
        (lease,) = await broker.lease("q", 1, wait=5)
        await broker.settle([Settlement(lease, (Output("q", Message(lease.message.body, {"retries": 1}), delay=0.5),))])
        assert await broker.lease("q", 1) == []
        assert (await broker.depths())["q"].delayed == 1
        (again,) = await broker.lease("q", 1, wait=10)
        assert again.message == Message(b"x", {"retries": 1})

    run(harness, scenario)


def test_a_short_delay_is_not_held_up_by_a_long_one(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("late"), delay=3600), Output("q", msg("soon"), delay=0.2)])
        assert await bodies(broker, "q") == ["soon"]

    run(harness, scenario)


def test_delayed_messages_can_be_hastened(harness):
    async def scenario(broker: Broker) -> None:
        delayed = [Output("q", msg(f"{n}", retries=n), delay=600 if n % 2 else 3600) for n in range(120)]
        await broker.publish([*delayed, Output("q", msg("ready")), Output("other", msg("x"), delay=600)])
        assert await broker.hasten("q") == 120
        found: list[tuple[str, object]] = []
        while len(found) < 121 and (leases := await broker.lease("q", 200, wait=5)):
            found += [(lease.message.body.decode(), lease.message.headers.get("retries")) for lease in leases]
        assert sorted(found, key=str) == sorted([("ready", None), *((f"{n}", n) for n in range(120))], key=str)
        assert await broker.hasten("q") == await broker.hasten("nothing") == 0
        assert (await harness.settled_depth(broker, "other")) == Depth(delayed=1)

    run(harness, scenario)


def test_released_messages_are_ready_again(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("x"))])
        leases = await broker.lease("q", 1, wait=5)
        await broker.release(leases)
        assert await bodies(broker, "q") == ["x"]

    run(harness, scenario)


def test_leases_of_a_closed_broker_come_back(harness):
    async def main() -> None:
        async with opened(harness) as broker:
            await broker.publish([Output("q", msg("x"))])
            await broker.lease("q", 1, wait=5)
        async with opened(harness) as broker:
            assert await bodies(broker, "q") == ["x"]

    asyncio.run(main())


def test_waiting_ends_when_a_message_arrives(harness):
    async def scenario(broker: Broker) -> None:
        waiting = asyncio.create_task(broker.lease("q", 1, wait=20))
        await asyncio.sleep(0)
        await broker.publish([Output("q", msg("x"))])
        assert [lease.message.body for lease in await waiting] == [b"x"]

    run(harness, scenario)


def test_two_consumers_share_a_queue_and_none_gets_the_same(harness):
    async def main() -> None:
        async with opened(harness) as one, opened(harness) as two:
            await one.publish([Output("q", msg(str(n))) for n in range(40)])
            seen: list[str] = []
            while len(seen) < 40:
                batches = await asyncio.gather(one.lease("q", 3, wait=2), two.lease("q", 3, wait=2))
                leases = [lease for batch in batches for lease in batch]
                assert leases, f"only {len(seen)} of 40 arrived"
                seen += [lease.message.body.decode() for lease in leases]
                for broker, batch in zip((one, two), batches, strict=True):
                    await broker.settle([Settlement(lease) for lease in batch])
            assert sorted(seen, key=int) == [str(n) for n in range(40)]

    asyncio.run(main())


def test_depths_tell_when_the_first_delayed_message_is_ready(harness):
    async def scenario(broker: Broker) -> None:
        begun = time.time()
        delayed = [Output("q", msg("a"), delay=3000), Output("q", msg("b"), delay=100)]
        await broker.publish([*delayed, Output("q", msg("c"))])
        due = (await broker.depths())["q"].next_due
        assert due is not None and begun + 100 <= due <= time.time() + 120, "exactly, or rounded up to a known duration"
        await broker.purge("q")
        await broker.publish([Output("q", msg("d"))])
        assert (await broker.depths())["q"].next_due is None

    run(harness, scenario)


def test_the_age_of_the_oldest_ready_message_is_known_and_changes_nothing(harness):
    async def scenario(broker: Broker) -> None:
        begun = time.time()
        await broker.publish([Output("q", msg("first"))])
        between = time.time()
        await broker.publish(
            [Output("q", msg("second")), Output("later", msg("x"), delay=900), Output("empty", msg("y"))]
        )
        await broker.purge("empty")
        oldest = await broker.oldest()
        assert list(oldest) == ["q"], "what is delayed is not due, and an empty queue has no oldest message"
        assert begun <= oldest["q"] <= between
        (lease,) = await broker.lease("q", 1, wait=5)
        assert lease.message.body == b"first", "it stays at the head"
        await broker.settle([Settlement(lease)])
        assert between <= (await broker.oldest())["q"] <= time.time()
        assert await broker.hasten("later") == 1
        assert begun <= (await broker.oldest())["later"] <= time.time(), (
            "it waits since it was hastened, not since its delay ended"
        )
        assert await bodies(broker, "q") == ["second"]

    run(harness, scenario)


def test_depths_tell_ready_leased_and_delayed(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg(str(n))) for n in range(5)] + [Output("q", msg("d"), delay=900)])
        held = await broker.lease("q", 2, wait=5)
        assert len(held) == 2
        assert await harness.settled_depth(broker, "q") == Depth(ready=3, leased=2, delayed=1)

    run(harness, scenario)


def test_peek_leaves_everything_where_it_is(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("1", a=1)), Output("q", msg("2"))])
        assert [m.body for m in await broker.peek("q", 5)] == [b"1", b"2"]
        assert await bodies(broker, "q") == ["1", "2"]

    run(harness, scenario)


def test_peek_shows_what_is_delayed_after_what_is_ready(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("later"), delay=3600), Output("q", msg("soon"), delay=600)])
        await harness.settled_depth(broker, "q")
        await broker.publish([Output("q", msg("now"))])
        assert [m.body for m in await broker.peek("q", 2)] == [b"now", b"soon"]
        assert [m.body for m in await broker.peek("q", 5)] == [b"now", b"soon", b"later"]
        assert await harness.settled_depth(broker, "q") == Depth(ready=1, delayed=2)

    run(harness, scenario)


def test_some_delayed_messages_can_be_hastened(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg(f"{n}"), delay=600 + n) for n in range(5)])
        await harness.settled_depth(broker, "q")
        assert await broker.hasten("q", 0) == 0
        assert await broker.hasten("q", 2) == 2
        assert await harness.settled_depth(broker, "q") == Depth(ready=2, delayed=3)

    run(harness, scenario)


def test_purge_deletes_waiting_messages_and_says_how_many(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("1")), Output("q", msg("2")), Output("q", msg("3"), delay=900)])
        assert await broker.purge("q") == 3
        assert await broker.lease("q", 5) == []

    run(harness, scenario)


def test_delete_removes_the_queue(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg("1")), Output("other", msg("2"))])
        assert await broker.delete("q") == 1
        assert "q" not in await broker.depths()
        await broker.publish([Output("q", msg("again"))])
        assert await bodies(broker, "q") == ["again"]

    run(harness, scenario)


def test_large_bodies_survive(harness):
    async def scenario(broker: Broker) -> None:
        body = bytes(range(256)) * 8000
        await broker.publish([Output("q", Message(body))])
        (lease,) = await broker.lease("q", 1, wait=5)
        assert lease.message.body == body

    run(harness, scenario)


def test_a_page_travels_along_and_ends_with_its_last_message(harness):
    async def scenario(broker: Broker) -> None:
        page = b"<html>" * 5000
        await broker.publish([Output("a", Message(b"1", page=page))])
        (lease,) = await broker.lease("a", 1, wait=5)
        assert lease.message.page == page
        both = tuple(Output(queue, Message(b"2", page=lease.message.page)) for queue in ("b", "c"))
        await broker.settle([Settlement(lease, both)])
        for queue in ("b", "c"):
            (lease,) = await broker.lease(queue, 1, wait=5)
            assert lease.message == Message(b"2", page=page)
            assert [m.page for m in await broker.peek(queue, 1)] == []
            await broker.settle([Settlement(lease)])

    run(harness, scenario)


def test_leases_without_their_bytes_can_be_settled_and_released(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", Message(b"body", {}, "", b"page")) for _ in range(4)])
        held = [lease.bare() for lease in await broker.lease("q", 4, wait=5)]
        assert {(lease.message.body, lease.message.page) for lease in held} == {(b"", b"")}
        await broker.settle([Settlement(lease) for lease in held[:2]])
        await broker.release(held[2:])
        assert [lease.message for lease in await broker.lease("q", 4, wait=5)] == [
            Message(b"body", {}, "", b"page")
        ] * 2

    run(harness, scenario)


def test_many_messages_are_leased_in_small_portions_and_settled_together(harness):
    async def scenario(broker: Broker) -> None:
        await broker.publish([Output("q", msg(str(n))) for n in range(300)])
        held: list[Lease] = []
        while len(held) < 300:
            held += await broker.lease("q", 20, wait=5)
        assert sorted(int(lease.message.body) for lease in held) == list(range(300))
        assert await harness.settled_depth(broker, "q") == Depth(leased=300)
        await broker.settle([Settlement(lease.bare()) for lease in held])
        await broker.publish([Output("q", msg("next"))])
        assert await bodies(broker, "q") == ["next"]

    run(harness, scenario)


async def all_of(broker: Broker, count: int) -> list[Lease]:
    """So many messages, by their number."""
    leases: list[Lease] = []
    while len(leases) < count:
        leases += await broker.lease("q", count - len(leases), wait=5)
    return sorted(leases, key=lambda lease: lease.message.headers["n"])


def test_scrubbing_leaves_what_waits_as_it_is(harness):
    async def scenario(broker: Broker) -> None:
        messages = [Message(f"body {n}".encode(), {"n": n}, "host", f"page {n}".encode() * 50) for n in range(20)]
        await broker.publish([Output("q", message) for message in messages])
        leases = await all_of(broker, 20)
        await broker.settle([Settlement(lease) for lease in leases[::2]])
        await broker.release(leases[1::2])
        await broker.scrub()
        assert [lease.message for lease in await all_of(broker, 10)] == messages[1::2]
        await broker.publish([Output("q", msg("later"))])
        assert await bodies(broker, "q") == ["later"]

    run(harness, scenario)
